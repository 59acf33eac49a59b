# bash completion for pgdyno, made by pgdyno doc completion bash.
_pgdyno()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local options= words=

    COMPREPLY=()
    # bash makes "=" a word of its own.
    if [[ $cur == "=" ]]; then
        cur=
    elif [[ $prev == "=" ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "list load drop show server help --help --version" -- "$cur"))
        return
    fi
    case ${COMP_WORDS[1]} in
    list)
        case $prev in
        esac
        options=" --help"
        ;;
    load)
        case $prev in
    -t | --target) return ;;
    --pg-bin) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --settings) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    -c | --connections) return ;;
    --connect-timeout) return ;;
    --data-seed) return ;;
    --results) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --tables) return ;;
    --table-size) return ;;
    --rand-type) COMPREPLY=($(compgen -W "uniform gaussian special pareto zipfian" -- "$cur")); return ;;
    --rand-pareto-h) return ;;
    --rand-zipfian-exp) return ;;
    --rand-spec-iter) return ;;
    --rand-spec-pct) return ;;
    --rand-spec-res) return ;;
    --create-table-options) return ;;
        esac
        options=" --target --pg-bin --settings --connections --connect-timeout --data-seed --force --results --quiet --help --tables --table-size --rand-type --rand-pareto-h --rand-zipfian-exp --rand-spec-iter --rand-spec-pct --rand-spec-res --auto-inc --create-secondary --secondary --create-table-options"
        words="null oltp_point_select"
        ;;
    drop)
        case $prev in
    -t | --target) return ;;
    --pg-bin) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --settings) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --tables) return ;;
    --table-size) return ;;
    --rand-type) COMPREPLY=($(compgen -W "uniform gaussian special pareto zipfian" -- "$cur")); return ;;
    --rand-pareto-h) return ;;
    --rand-zipfian-exp) return ;;
    --rand-spec-iter) return ;;
    --rand-spec-pct) return ;;
    --rand-spec-res) return ;;
    --create-table-options) return ;;
        esac
        options=" --target --pg-bin --settings --yes --quiet --help --tables --table-size --rand-type --rand-pareto-h --rand-zipfian-exp --rand-spec-iter --rand-spec-pct --rand-spec-res --auto-inc --create-secondary --secondary --create-table-options"
        words="null oltp_point_select"
        ;;
    show)
        case $prev in
    --json) return ;;
    --format) COMPREPLY=($(compgen -W "text json" -- "$cur")); return ;;
        esac
        options=" --json --format --help"
        ;;
    server)
        case $prev in
    --major) return ;;
    --pg-bin) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --settings) COMPREPLY=($(compgen -f -- "$cur")); return ;;
        esac
        options=" --major --tcp --pg-bin --settings --quiet --help"
        ;;
    esac
    [[ $cur == -* ]] && words=$options
    if [[ -n $words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -F _pgdyno pgdyno
