# bash completion for pgdyno, made by pgdyno doc completion bash.
# For bash ":" ends a word: what is offered is what follows it.
_pgdyno_local()
{
    local before=

    if [[ $cur == ":" ]]; then
        before=local: cur=
    elif ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == ":" ]]; then
        before=local:
    fi
    COMPREPLY=($(compgen -W "$words" -- "$before$cur"))
    [[ -n $before ]] && COMPREPLY=("${COMPREPLY[@]#local:}")
}

_pgdyno_majors()
{
    local major state rest kept=yes program=${COMP_WORDS[0]/#\~/$HOME}

    words=
    while read -r major state rest; do
        case $1:$kept:$state in
        start:no:* | stop:yes:runs | url:yes:runs | remove:yes:*)
            [[ $major =~ ^[0-9]+$ ]] && words+=" $major" ;;
        esac
        [[ "$major $state" == "PostgreSQL on" ]] && kept=no
    done < <("$program" server list 2>/dev/null)
    [[ -n $words || $1 == list ]] || words="12 13 14 15 16 17 18"
}

_pgdyno()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local options= words= at=$((COMP_CWORD - 1))

    COMPREPLY=()
    # bash makes "=" and ":" words of their own.
    if [[ $cur == "=" ]]; then
        cur=
    elif [[ $cur == ":" ]]; then
        at=$((at - 1))
    elif [[ $prev == ":" ]]; then
        at=$((at - 2))
    fi
    if ((at > 1)) && [[ ${COMP_WORDS[at]} == "=" ]]; then
        at=$((at - 1))
    fi
    ((at > 0)) && prev=${COMP_WORDS[at]}
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "quick list load run bench check drop show compare aa server help --help --version" -- "$cur"))
        return
    fi
    case ${COMP_WORDS[1]} in
    quick)
        case $prev in
    -t | --target) words="local local:12 local:13 local:14 local:15 local:16 local:17 local:18"; _pgdyno_local; return ;;
    --pg-bin) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --settings) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    -c | --connections) return ;;
    -j | --workers) COMPREPLY=($(compgen -W "auto" -- "$cur")); return ;;
    --protocol) COMPREPLY=($(compgen -W "auto prepared extended simple" -- "$cur")); return ;;
    --engine) COMPREPLY=($(compgen -W "coroutine thread" -- "$cur")); return ;;
    --isolation) COMPREPLY=($(compgen -W "default read-committed repeatable-read serializable" -- "$cur")); return ;;
    --statement-cache) return ;;
    --connect-timeout) return ;;
    --time) return ;;
    --transactions) return ;;
    --warmup) return ;;
    --collect) COMPREPLY=($(compgen -W "off" -- "$cur")); return ;;
    --interval) return ;;
    --seed) COMPREPLY=($(compgen -W "random" -- "$cur")); return ;;
    --rate) return ;;
    --arrival) COMPREPLY=($(compgen -W "poisson constant" -- "$cur")); return ;;
    --ramp) return ;;
    --think) return ;;
    --terminals) COMPREPLY=($(compgen -W "full" -- "$cur")); return ;;
    --latency-limit) return ;;
    --retries) COMPREPLY=($(compgen -W "unlimited auto" -- "$cur")); return ;;
    --retry) COMPREPLY=($(compgen -W "auto same redraw" -- "$cur")); return ;;
    --reconnect) return ;;
    --on-error) COMPREPLY=($(compgen -W "policy continue stop" -- "$cur")); return ;;
    --check) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
    --data-seed) return ;;
    --percentiles) return ;;
    --label) return ;;
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
    --point-selects) return ;;
    --simple-ranges) return ;;
    --sum-ranges) return ;;
    --order-ranges) return ;;
    --distinct-ranges) return ;;
    --range-size) return ;;
    --index-updates) return ;;
    --non-index-updates) return ;;
    --delete-inserts) return ;;
    --random-points) return ;;
    --number-of-ranges) return ;;
    --delta) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --tables) return ;;
    --rows) return ;;
    --create-table-options) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none percona percona-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --tables) return ;;
    --mode) COMPREPLY=($(compgen -W "sql functions" -- "$cur")); return ;;
    --mix) return ;;
    --home) COMPREPLY=($(compgen -W "auto fixed all" -- "$cur")); return ;;
    --partitions) return ;;
    --fillfactor) return ;;
    --compat) COMPREPLY=($(compgen -W "percona percona-fixed" -- "$cur")); return ;;
    --tables) return ;;
    --scale) return ;;
    --trx-level) COMPREPLY=($(compgen -W "RC RR SER" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "hammerdb hammerdb-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --routines) COMPREPLY=($(compgen -W "functions procedures" -- "$cur")); return ;;
    --pgio-conf) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none pgio1" -- "$cur")); return ;;
    --scale) return ;;
    --num-schemas) return ;;
    --num-threads) return ;;
    --update-pct) return ;;
    --run-time) return ;;
    --work-unit) return ;;
    --update-work-unit) return ;;
    --redo-stress) COMPREPLY=($(compgen -W "lite heavy" -- "$cur")); return ;;
    --rand-type) COMPREPLY=($(compgen -W "uniform gaussian special pareto zipfian" -- "$cur")); return ;;
    --rand-pareto-h) return ;;
    --rand-zipfian-exp) return ;;
    --hotspot-mb) return ;;
    --hotspot-offset-mb) return ;;
    --hotspot-frequency) return ;;
    --hot-schema-frequency) return ;;
    --scan-pct) return ;;
    --scan-table-sz) return ;;
    --verify-sum) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
    --count) return ;;
        esac
        options=" --target --pg-bin --settings --connections --workers --protocol --pipeline --engine --isolation --statement-cache --connect-timeout --time --transactions --warmup --collect --interval --seed --rate --arrival --ramp --think --terminals --latency-limit --retries --retry --reconnect --on-error --check --vacuum --data-seed --force --yes --percentiles --label --results --quiet --help --tables --table-size --rand-type --rand-pareto-h --rand-zipfian-exp --rand-spec-iter --rand-spec-pct --rand-spec-res --auto-inc --create-secondary --secondary --create-table-options --point-selects --range-selects --simple-ranges --sum-ranges --order-ranges --distinct-ranges --range-size --index-updates --non-index-updates --delete-inserts --skip-trx --random-points --number-of-ranges --delta --compat --tables --rows --create-table-options --compat --compat --warehouses --tables --mode --mix --home --use-fk --partitions --fillfactor --compat --tables --scale --use-fk --trx-level --enable-purge --compat --warehouses --routines --allwarehouse --keyandthink --partition --pgio-conf --compat --scale --num-schemas --num-threads --update-pct --run-time --work-unit --update-work-unit --create-base-table --obfuscate-columns --redo-stress --rand-type --rand-pareto-h --rand-zipfian-exp --do-hotspot --hotspot-mb --hotspot-offset-mb --hotspot-frequency --hot-schema-frequency --scan-pct --scan-table-sz --any-plan --verify-sum --count"
        words="null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping"
        ;;
    list)
        case $prev in
        esac
        options=" --help"
        ((COMP_CWORD > 2)) || words="workloads micro transactions options plans exit-codes"
        ((COMP_CWORD > 2)) && [[ $cur != -* && -z $words ]] && return
        ;;
    load)
        case $prev in
    -t | --target) words="local local:12 local:13 local:14 local:15 local:16 local:17 local:18"; _pgdyno_local; return ;;
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
    --point-selects) return ;;
    --simple-ranges) return ;;
    --sum-ranges) return ;;
    --order-ranges) return ;;
    --distinct-ranges) return ;;
    --range-size) return ;;
    --index-updates) return ;;
    --non-index-updates) return ;;
    --delete-inserts) return ;;
    --random-points) return ;;
    --number-of-ranges) return ;;
    --delta) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --tables) return ;;
    --rows) return ;;
    --create-table-options) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none percona percona-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --tables) return ;;
    --mode) COMPREPLY=($(compgen -W "sql functions" -- "$cur")); return ;;
    --mix) return ;;
    --home) COMPREPLY=($(compgen -W "auto fixed all" -- "$cur")); return ;;
    --partitions) return ;;
    --fillfactor) return ;;
    --compat) COMPREPLY=($(compgen -W "percona percona-fixed" -- "$cur")); return ;;
    --tables) return ;;
    --scale) return ;;
    --trx-level) COMPREPLY=($(compgen -W "RC RR SER" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "hammerdb hammerdb-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --routines) COMPREPLY=($(compgen -W "functions procedures" -- "$cur")); return ;;
    --pgio-conf) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none pgio1" -- "$cur")); return ;;
    --scale) return ;;
    --num-schemas) return ;;
    --num-threads) return ;;
    --update-pct) return ;;
    --run-time) return ;;
    --work-unit) return ;;
    --update-work-unit) return ;;
    --redo-stress) COMPREPLY=($(compgen -W "lite heavy" -- "$cur")); return ;;
    --rand-type) COMPREPLY=($(compgen -W "uniform gaussian special pareto zipfian" -- "$cur")); return ;;
    --rand-pareto-h) return ;;
    --rand-zipfian-exp) return ;;
    --hotspot-mb) return ;;
    --hotspot-offset-mb) return ;;
    --hotspot-frequency) return ;;
    --hot-schema-frequency) return ;;
    --scan-pct) return ;;
    --scan-table-sz) return ;;
    --verify-sum) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
    --count) return ;;
        esac
        options=" --target --pg-bin --settings --connections --connect-timeout --data-seed --force --results --quiet --help --tables --table-size --rand-type --rand-pareto-h --rand-zipfian-exp --rand-spec-iter --rand-spec-pct --rand-spec-res --auto-inc --create-secondary --secondary --create-table-options --point-selects --range-selects --simple-ranges --sum-ranges --order-ranges --distinct-ranges --range-size --index-updates --non-index-updates --delete-inserts --skip-trx --random-points --number-of-ranges --delta --compat --tables --rows --create-table-options --compat --compat --warehouses --tables --mode --mix --home --use-fk --partitions --fillfactor --compat --tables --scale --use-fk --trx-level --enable-purge --compat --warehouses --routines --allwarehouse --keyandthink --partition --pgio-conf --compat --scale --num-schemas --num-threads --update-pct --run-time --work-unit --update-work-unit --create-base-table --obfuscate-columns --redo-stress --rand-type --rand-pareto-h --rand-zipfian-exp --do-hotspot --hotspot-mb --hotspot-offset-mb --hotspot-frequency --hot-schema-frequency --scan-pct --scan-table-sz --any-plan --verify-sum --count"
        words="null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping"
        ;;
    run)
        case $prev in
    --format) COMPREPLY=($(compgen -W "text sysbench" -- "$cur")); return ;;
    --find-rate) return ;;
    -t | --target) words="local local:12 local:13 local:14 local:15 local:16 local:17 local:18"; _pgdyno_local; return ;;
    --pg-bin) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --settings) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    -c | --connections) return ;;
    -j | --workers) COMPREPLY=($(compgen -W "auto" -- "$cur")); return ;;
    --protocol) COMPREPLY=($(compgen -W "auto prepared extended simple" -- "$cur")); return ;;
    --engine) COMPREPLY=($(compgen -W "coroutine thread" -- "$cur")); return ;;
    --isolation) COMPREPLY=($(compgen -W "default read-committed repeatable-read serializable" -- "$cur")); return ;;
    --statement-cache) return ;;
    --connect-timeout) return ;;
    --time) return ;;
    --transactions) return ;;
    --warmup) return ;;
    --collect) COMPREPLY=($(compgen -W "off" -- "$cur")); return ;;
    --interval) return ;;
    --seed) COMPREPLY=($(compgen -W "random" -- "$cur")); return ;;
    --rate) return ;;
    --arrival) COMPREPLY=($(compgen -W "poisson constant" -- "$cur")); return ;;
    --ramp) return ;;
    --think) return ;;
    --terminals) COMPREPLY=($(compgen -W "full" -- "$cur")); return ;;
    --latency-limit) return ;;
    --retries) COMPREPLY=($(compgen -W "unlimited auto" -- "$cur")); return ;;
    --retry) COMPREPLY=($(compgen -W "auto same redraw" -- "$cur")); return ;;
    --reconnect) return ;;
    --on-error) COMPREPLY=($(compgen -W "policy continue stop" -- "$cur")); return ;;
    --check) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
    --data-seed) return ;;
    --percentiles) return ;;
    --label) return ;;
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
    --point-selects) return ;;
    --simple-ranges) return ;;
    --sum-ranges) return ;;
    --order-ranges) return ;;
    --distinct-ranges) return ;;
    --range-size) return ;;
    --index-updates) return ;;
    --non-index-updates) return ;;
    --delete-inserts) return ;;
    --random-points) return ;;
    --number-of-ranges) return ;;
    --delta) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --tables) return ;;
    --rows) return ;;
    --create-table-options) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none percona percona-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --tables) return ;;
    --mode) COMPREPLY=($(compgen -W "sql functions" -- "$cur")); return ;;
    --mix) return ;;
    --home) COMPREPLY=($(compgen -W "auto fixed all" -- "$cur")); return ;;
    --partitions) return ;;
    --fillfactor) return ;;
    --compat) COMPREPLY=($(compgen -W "percona percona-fixed" -- "$cur")); return ;;
    --tables) return ;;
    --scale) return ;;
    --trx-level) COMPREPLY=($(compgen -W "RC RR SER" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "hammerdb hammerdb-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --routines) COMPREPLY=($(compgen -W "functions procedures" -- "$cur")); return ;;
    --pgio-conf) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none pgio1" -- "$cur")); return ;;
    --scale) return ;;
    --num-schemas) return ;;
    --num-threads) return ;;
    --update-pct) return ;;
    --run-time) return ;;
    --work-unit) return ;;
    --update-work-unit) return ;;
    --redo-stress) COMPREPLY=($(compgen -W "lite heavy" -- "$cur")); return ;;
    --rand-type) COMPREPLY=($(compgen -W "uniform gaussian special pareto zipfian" -- "$cur")); return ;;
    --rand-pareto-h) return ;;
    --rand-zipfian-exp) return ;;
    --hotspot-mb) return ;;
    --hotspot-offset-mb) return ;;
    --hotspot-frequency) return ;;
    --hot-schema-frequency) return ;;
    --scan-pct) return ;;
    --scan-table-sz) return ;;
    --verify-sum) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
    --count) return ;;
        esac
        options=" --format --find-rate --target --pg-bin --settings --connections --workers --protocol --pipeline --engine --isolation --statement-cache --connect-timeout --time --transactions --warmup --collect --interval --seed --rate --arrival --ramp --think --terminals --latency-limit --retries --retry --reconnect --on-error --check --vacuum --data-seed --force --yes --percentiles --label --results --quiet --help --tables --table-size --rand-type --rand-pareto-h --rand-zipfian-exp --rand-spec-iter --rand-spec-pct --rand-spec-res --auto-inc --create-secondary --secondary --create-table-options --point-selects --range-selects --simple-ranges --sum-ranges --order-ranges --distinct-ranges --range-size --index-updates --non-index-updates --delete-inserts --skip-trx --random-points --number-of-ranges --delta --compat --tables --rows --create-table-options --compat --compat --warehouses --tables --mode --mix --home --use-fk --partitions --fillfactor --compat --tables --scale --use-fk --trx-level --enable-purge --compat --warehouses --routines --allwarehouse --keyandthink --partition --pgio-conf --compat --scale --num-schemas --num-threads --update-pct --run-time --work-unit --update-work-unit --create-base-table --obfuscate-columns --redo-stress --rand-type --rand-pareto-h --rand-zipfian-exp --do-hotspot --hotspot-mb --hotspot-offset-mb --hotspot-frequency --hot-schema-frequency --scan-pct --scan-table-sz --any-plan --verify-sum --count"
        words="null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping"
        ;;
    bench)
        case $prev in
    -o | --output) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --repeats) return ;;
    --scale-factor) return ;;
    --time-factor) return ;;
    --servers) COMPREPLY=($(compgen -W "stop keep remove" -- "$cur")); return ;;
        esac
        options=" --output --repeats --scale-factor --time-factor --dry-run --retry-failed --servers --trust-plan --help"
        ((COMP_CWORD > 2)) || words="PLAN FOLDER"
        ((COMP_CWORD > 2)) && [[ $cur != -* && -z $words ]] && return
        ;;
    check)
        case $prev in
    -t | --target) words="local local:12 local:13 local:14 local:15 local:16 local:17 local:18"; _pgdyno_local; return ;;
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
    --point-selects) return ;;
    --simple-ranges) return ;;
    --sum-ranges) return ;;
    --order-ranges) return ;;
    --distinct-ranges) return ;;
    --range-size) return ;;
    --index-updates) return ;;
    --non-index-updates) return ;;
    --delete-inserts) return ;;
    --random-points) return ;;
    --number-of-ranges) return ;;
    --delta) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --tables) return ;;
    --rows) return ;;
    --create-table-options) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none percona percona-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --tables) return ;;
    --mode) COMPREPLY=($(compgen -W "sql functions" -- "$cur")); return ;;
    --mix) return ;;
    --home) COMPREPLY=($(compgen -W "auto fixed all" -- "$cur")); return ;;
    --partitions) return ;;
    --fillfactor) return ;;
    --compat) COMPREPLY=($(compgen -W "percona percona-fixed" -- "$cur")); return ;;
    --tables) return ;;
    --scale) return ;;
    --trx-level) COMPREPLY=($(compgen -W "RC RR SER" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "hammerdb hammerdb-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --routines) COMPREPLY=($(compgen -W "functions procedures" -- "$cur")); return ;;
    --pgio-conf) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none pgio1" -- "$cur")); return ;;
    --scale) return ;;
    --num-schemas) return ;;
    --num-threads) return ;;
    --update-pct) return ;;
    --run-time) return ;;
    --work-unit) return ;;
    --update-work-unit) return ;;
    --redo-stress) COMPREPLY=($(compgen -W "lite heavy" -- "$cur")); return ;;
    --rand-type) COMPREPLY=($(compgen -W "uniform gaussian special pareto zipfian" -- "$cur")); return ;;
    --rand-pareto-h) return ;;
    --rand-zipfian-exp) return ;;
    --hotspot-mb) return ;;
    --hotspot-offset-mb) return ;;
    --hotspot-frequency) return ;;
    --hot-schema-frequency) return ;;
    --scan-pct) return ;;
    --scan-table-sz) return ;;
    --verify-sum) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
    --count) return ;;
        esac
        options=" --target --pg-bin --settings --quiet --help --tables --table-size --rand-type --rand-pareto-h --rand-zipfian-exp --rand-spec-iter --rand-spec-pct --rand-spec-res --auto-inc --create-secondary --secondary --create-table-options --point-selects --range-selects --simple-ranges --sum-ranges --order-ranges --distinct-ranges --range-size --index-updates --non-index-updates --delete-inserts --skip-trx --random-points --number-of-ranges --delta --compat --tables --rows --create-table-options --compat --compat --warehouses --tables --mode --mix --home --use-fk --partitions --fillfactor --compat --tables --scale --use-fk --trx-level --enable-purge --compat --warehouses --routines --allwarehouse --keyandthink --partition --pgio-conf --compat --scale --num-schemas --num-threads --update-pct --run-time --work-unit --update-work-unit --create-base-table --obfuscate-columns --redo-stress --rand-type --rand-pareto-h --rand-zipfian-exp --do-hotspot --hotspot-mb --hotspot-offset-mb --hotspot-frequency --hot-schema-frequency --scan-pct --scan-table-sz --any-plan --verify-sum --count"
        words="null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping"
        ;;
    drop)
        case $prev in
    -t | --target) words="local local:12 local:13 local:14 local:15 local:16 local:17 local:18"; _pgdyno_local; return ;;
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
    --point-selects) return ;;
    --simple-ranges) return ;;
    --sum-ranges) return ;;
    --order-ranges) return ;;
    --distinct-ranges) return ;;
    --range-size) return ;;
    --index-updates) return ;;
    --non-index-updates) return ;;
    --delete-inserts) return ;;
    --random-points) return ;;
    --number-of-ranges) return ;;
    --delta) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --tables) return ;;
    --rows) return ;;
    --create-table-options) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none percona percona-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --tables) return ;;
    --mode) COMPREPLY=($(compgen -W "sql functions" -- "$cur")); return ;;
    --mix) return ;;
    --home) COMPREPLY=($(compgen -W "auto fixed all" -- "$cur")); return ;;
    --partitions) return ;;
    --fillfactor) return ;;
    --compat) COMPREPLY=($(compgen -W "percona percona-fixed" -- "$cur")); return ;;
    --tables) return ;;
    --scale) return ;;
    --trx-level) COMPREPLY=($(compgen -W "RC RR SER" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "hammerdb hammerdb-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --routines) COMPREPLY=($(compgen -W "functions procedures" -- "$cur")); return ;;
    --pgio-conf) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none pgio1" -- "$cur")); return ;;
    --scale) return ;;
    --num-schemas) return ;;
    --num-threads) return ;;
    --update-pct) return ;;
    --run-time) return ;;
    --work-unit) return ;;
    --update-work-unit) return ;;
    --redo-stress) COMPREPLY=($(compgen -W "lite heavy" -- "$cur")); return ;;
    --rand-type) COMPREPLY=($(compgen -W "uniform gaussian special pareto zipfian" -- "$cur")); return ;;
    --rand-pareto-h) return ;;
    --rand-zipfian-exp) return ;;
    --hotspot-mb) return ;;
    --hotspot-offset-mb) return ;;
    --hotspot-frequency) return ;;
    --hot-schema-frequency) return ;;
    --scan-pct) return ;;
    --scan-table-sz) return ;;
    --verify-sum) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
    --count) return ;;
        esac
        options=" --target --pg-bin --settings --yes --quiet --help --tables --table-size --rand-type --rand-pareto-h --rand-zipfian-exp --rand-spec-iter --rand-spec-pct --rand-spec-res --auto-inc --create-secondary --secondary --create-table-options --point-selects --range-selects --simple-ranges --sum-ranges --order-ranges --distinct-ranges --range-size --index-updates --non-index-updates --delete-inserts --skip-trx --random-points --number-of-ranges --delta --compat --tables --rows --create-table-options --compat --compat --warehouses --tables --mode --mix --home --use-fk --partitions --fillfactor --compat --tables --scale --use-fk --trx-level --enable-purge --compat --warehouses --routines --allwarehouse --keyandthink --partition --pgio-conf --compat --scale --num-schemas --num-threads --update-pct --run-time --work-unit --update-work-unit --create-base-table --obfuscate-columns --redo-stress --rand-type --rand-pareto-h --rand-zipfian-exp --do-hotspot --hotspot-mb --hotspot-offset-mb --hotspot-frequency --hot-schema-frequency --scan-pct --scan-table-sz --any-plan --verify-sum --count"
        words="null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping"
        ;;
    show)
        case $prev in
    --json) return ;;
    --format) COMPREPLY=($(compgen -W "text json sysbench plans" -- "$cur")); return ;;
        esac
        options=" --json --format --help"
        ;;
    compare)
        case $prev in
    --by) return ;;
    --base) return ;;
    --metric) return ;;
    --threshold) return ;;
    --allow) return ;;
    --fail-if) COMPREPLY=($(compgen -W "never slower" -- "$cur")); return ;;
    --format) COMPREPLY=($(compgen -W "text markdown csv json" -- "$cur")); return ;;
        esac
        options=" --by --base --paired --metric --lower-is-better --threshold --allow --fail-if --format --detail --per-query --help"
        ;;
    aa)
        case $prev in
    --blocks) return ;;
    --metric) return ;;
    -t | --target) words="local local:12 local:13 local:14 local:15 local:16 local:17 local:18"; _pgdyno_local; return ;;
    --pg-bin) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --settings) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    -c | --connections) return ;;
    -j | --workers) COMPREPLY=($(compgen -W "auto" -- "$cur")); return ;;
    --protocol) COMPREPLY=($(compgen -W "auto prepared extended simple" -- "$cur")); return ;;
    --engine) COMPREPLY=($(compgen -W "coroutine thread" -- "$cur")); return ;;
    --isolation) COMPREPLY=($(compgen -W "default read-committed repeatable-read serializable" -- "$cur")); return ;;
    --statement-cache) return ;;
    --connect-timeout) return ;;
    --time) return ;;
    --transactions) return ;;
    --warmup) return ;;
    --collect) COMPREPLY=($(compgen -W "off" -- "$cur")); return ;;
    --interval) return ;;
    --seed) COMPREPLY=($(compgen -W "random" -- "$cur")); return ;;
    --rate) return ;;
    --arrival) COMPREPLY=($(compgen -W "poisson constant" -- "$cur")); return ;;
    --ramp) return ;;
    --think) return ;;
    --terminals) COMPREPLY=($(compgen -W "full" -- "$cur")); return ;;
    --latency-limit) return ;;
    --retries) COMPREPLY=($(compgen -W "unlimited auto" -- "$cur")); return ;;
    --retry) COMPREPLY=($(compgen -W "auto same redraw" -- "$cur")); return ;;
    --reconnect) return ;;
    --on-error) COMPREPLY=($(compgen -W "policy continue stop" -- "$cur")); return ;;
    --check) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
    --data-seed) return ;;
    --percentiles) return ;;
    --label) return ;;
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
    --point-selects) return ;;
    --simple-ranges) return ;;
    --sum-ranges) return ;;
    --order-ranges) return ;;
    --distinct-ranges) return ;;
    --range-size) return ;;
    --index-updates) return ;;
    --non-index-updates) return ;;
    --delete-inserts) return ;;
    --random-points) return ;;
    --number-of-ranges) return ;;
    --delta) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --tables) return ;;
    --rows) return ;;
    --create-table-options) return ;;
    --compat) COMPREPLY=($(compgen -W "none sysbench" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none percona percona-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --tables) return ;;
    --mode) COMPREPLY=($(compgen -W "sql functions" -- "$cur")); return ;;
    --mix) return ;;
    --home) COMPREPLY=($(compgen -W "auto fixed all" -- "$cur")); return ;;
    --partitions) return ;;
    --fillfactor) return ;;
    --compat) COMPREPLY=($(compgen -W "percona percona-fixed" -- "$cur")); return ;;
    --tables) return ;;
    --scale) return ;;
    --trx-level) COMPREPLY=($(compgen -W "RC RR SER" -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "hammerdb hammerdb-fixed" -- "$cur")); return ;;
    --warehouses) return ;;
    --routines) COMPREPLY=($(compgen -W "functions procedures" -- "$cur")); return ;;
    --pgio-conf) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --compat) COMPREPLY=($(compgen -W "none pgio1" -- "$cur")); return ;;
    --scale) return ;;
    --num-schemas) return ;;
    --num-threads) return ;;
    --update-pct) return ;;
    --run-time) return ;;
    --work-unit) return ;;
    --update-work-unit) return ;;
    --redo-stress) COMPREPLY=($(compgen -W "lite heavy" -- "$cur")); return ;;
    --rand-type) COMPREPLY=($(compgen -W "uniform gaussian special pareto zipfian" -- "$cur")); return ;;
    --rand-pareto-h) return ;;
    --rand-zipfian-exp) return ;;
    --hotspot-mb) return ;;
    --hotspot-offset-mb) return ;;
    --hotspot-frequency) return ;;
    --hot-schema-frequency) return ;;
    --scan-pct) return ;;
    --scan-table-sz) return ;;
    --verify-sum) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
    --count) return ;;
        esac
        options=" --blocks --metric --target --pg-bin --settings --connections --workers --protocol --pipeline --engine --isolation --statement-cache --connect-timeout --time --transactions --warmup --collect --interval --seed --rate --arrival --ramp --think --terminals --latency-limit --retries --retry --reconnect --on-error --check --vacuum --data-seed --force --yes --percentiles --label --results --quiet --help --tables --table-size --rand-type --rand-pareto-h --rand-zipfian-exp --rand-spec-iter --rand-spec-pct --rand-spec-res --auto-inc --create-secondary --secondary --create-table-options --point-selects --range-selects --simple-ranges --sum-ranges --order-ranges --distinct-ranges --range-size --index-updates --non-index-updates --delete-inserts --skip-trx --random-points --number-of-ranges --delta --compat --tables --rows --create-table-options --compat --compat --warehouses --tables --mode --mix --home --use-fk --partitions --fillfactor --compat --tables --scale --use-fk --trx-level --enable-purge --compat --warehouses --routines --allwarehouse --keyandthink --partition --pgio-conf --compat --scale --num-schemas --num-threads --update-pct --run-time --work-unit --update-work-unit --create-base-table --obfuscate-columns --redo-stress --rand-type --rand-pareto-h --rand-zipfian-exp --do-hotspot --hotspot-mb --hotspot-offset-mb --hotspot-frequency --hot-schema-frequency --scan-pct --scan-table-sz --any-plan --verify-sum --count"
        words="null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping"
        ;;
    server)
        case $prev in
    --major) return ;;
    --pg-bin) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --settings) COMPREPLY=($(compgen -f -- "$cur")); return ;;
        esac
        options=" --major --tcp --pg-bin --settings --yes --quiet --help"
        ((COMP_CWORD > 2)) || words="list start stop remove url"
        ((COMP_CWORD == 3)) && _pgdyno_majors "${COMP_WORDS[2]}"
        ((COMP_CWORD > 2)) && [[ $cur != -* && -z $words ]] && return
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
