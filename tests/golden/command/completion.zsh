#compdef pgdyno
# zsh completion for pgdyno, made by pgdyno doc completion zsh.
_pgdyno() {
    local -a verbs
    verbs=(
        'list:what there is\: workloads, transactions, options, exit codes'
        'load:create and fill a workload'\''s data set, or what is missing of it'
        'drop:remove what load made, nothing else'
        'show:what a result says, or one value of it'
        'server:local PostgreSQL servers\: list, start, stop, remove, url'
    )
    if ((CURRENT == 2)); then
        _describe verb verbs
        return
    fi
    shift words
    ((CURRENT--))
    case $words[1] in
    list)
        _arguments \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '*:word:_files'
        ;;
    load)
        _arguments \
            '(-t --target)'{-t+,--target=}'[conninfo, URI, local or local\:MAJOR (a server that pgdyno keeps)]:TEXT:' \
            '--pg-bin=[folder with postgres, initdb and pg_ctl for a local target]:DIR:_files -/' \
            '--settings=[file of settings that a local server is started with]:FILE:_files' \
            '(-c --connections)'{-c+,--connections=}'[connections under load, each runs one transaction at a time]:N:' \
            '--connect-timeout=[how long opening all connections may take]:TIME:' \
            '--data-seed=[of the rows that load makes; kept with the data]:N:' \
            '--force[replace a data set that was made with other options]' \
            '--results=[folder in which the result'\''s folder is made]:DIR:_files -/' \
            '(-q --quiet)'{-q,--quiet}'[no progress, only the result and errors]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--table-size=[rows in each table, and the range of ids that are asked for]:N:' \
            '--rand-type=[which rows are hot]:WORD:(uniform gaussian special pareto zipfian)' \
            '--rand-pareto-h=[pareto\: this share of rows gets 1 minus this share of draws]:N:' \
            '--rand-zipfian-exp=[zipfian\: the exponent theta]:N:' \
            '--rand-spec-iter=[special\: uniform draws summed for the rest of the rows]:N:' \
            '--rand-spec-pct=[special\: share of rows in the hot band]:N:' \
            '--rand-spec-res=[special\: share of draws that fall into the hot band]:N:' \
            '--auto-inc[ids by default from a sequence (serial column)]' \
            '--create-secondary[index k_N on column k, built after the rows]' \
            '--secondary[a plain index xidN on id instead of the primary key]' \
            '--create-table-options=[raw SQL after the columns of CREATE TABLE]:TEXT:' \
            '*:workload:(null oltp_point_select)'
        ;;
    drop)
        _arguments \
            '(-t --target)'{-t+,--target=}'[conninfo, URI, local or local\:MAJOR (a server that pgdyno keeps)]:TEXT:' \
            '--pg-bin=[folder with postgres, initdb and pg_ctl for a local target]:DIR:_files -/' \
            '--settings=[file of settings that a local server is started with]:FILE:_files' \
            '--yes[do not ask before something is removed]' \
            '(-q --quiet)'{-q,--quiet}'[no progress, only the result and errors]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--table-size=[rows in each table, and the range of ids that are asked for]:N:' \
            '--rand-type=[which rows are hot]:WORD:(uniform gaussian special pareto zipfian)' \
            '--rand-pareto-h=[pareto\: this share of rows gets 1 minus this share of draws]:N:' \
            '--rand-zipfian-exp=[zipfian\: the exponent theta]:N:' \
            '--rand-spec-iter=[special\: uniform draws summed for the rest of the rows]:N:' \
            '--rand-spec-pct=[special\: share of rows in the hot band]:N:' \
            '--rand-spec-res=[special\: share of draws that fall into the hot band]:N:' \
            '--auto-inc[ids by default from a sequence (serial column)]' \
            '--create-secondary[index k_N on column k, built after the rows]' \
            '--secondary[a plain index xidN on id instead of the primary key]' \
            '--create-table-options=[raw SQL after the columns of CREATE TABLE]:TEXT:' \
            '*:workload:(null oltp_point_select)'
        ;;
    show)
        _arguments \
            '--json=[one value by its path\: summary.transactions.per_s]:TEXT:' \
            '--format=[how to show the whole]:WORD:(text json)' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '*:word:_files'
        ;;
    server)
        _arguments \
            '--major=[major version, as 17; the word alone does as well]:N:' \
            '--tcp[start\: also listen on 127.0.0.1, with a password]' \
            '--pg-bin=[folder with postgres, initdb and pg_ctl for a local target]:DIR:_files -/' \
            '--settings=[file of settings that a local server is started with]:FILE:_files' \
            '(-q --quiet)'{-q,--quiet}'[no progress, only the result and errors]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '*:word:_files'
        ;;
    esac
}
_pgdyno "$@"
