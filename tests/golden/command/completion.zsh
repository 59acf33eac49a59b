#compdef pgdyno
# zsh completion for pgdyno, made by pgdyno doc completion zsh.
_pgdyno() {
    local -a verbs
    verbs=(
        'quick:the first run\: a local server, a small data set, a result'
        'list:what there is\: workloads, transactions, options, plans, exit codes'
        'load:create and fill a workload'\''s data set, or what is missing of it'
        'run:one measured run of a workload, with a result'
        'bench:targets x workloads x repeats by a plan, in interleaved order'
        'check:are the data still consistent? the exit status says so'
        'drop:remove what load made, nothing else'
        'show:what a result says, or one value of it'
        'compare:what differs between results, and how sure that is'
        'aa:what difference this machine can resolve'
        'server:local PostgreSQL servers\: list, start, stop, remove, url'
    )
    if ((CURRENT == 2)); then
        _describe verb verbs
        return
    fi
    shift words
    ((CURRENT--))
    case $words[1] in
    quick)
        _arguments \
            '(-t --target)'{-t+,--target=}'[conninfo, URI, local or local\:MAJOR (a server that pgdyno keeps)]:TEXT:(local\:12 local\:13 local\:14 local\:15 local\:16 local\:17 local\:18 local)' \
            '--pg-bin=[folder with postgres, initdb and pg_ctl for a local target]:DIR:_files -/' \
            '--settings=[file of settings that a local server is started with]:FILE:_files' \
            '(-c --connections)'{-c+,--connections=}'[connections under load, each runs one transaction at a time]:N:' \
            '(-j --workers)'{-j+,--workers=}'[threads of pgdyno that share the connections]:N:(auto)' \
            '--protocol=[how statements are sent]:WORD:(auto prepared extended simple)' \
            '--pipeline[send independent statements of a transaction together]' \
            '--engine=[how pgdyno itself waits for the server]:WORD:(coroutine thread)' \
            '--isolation=[isolation level of transactions]:WORD:(default read-committed repeatable-read serializable)' \
            '--statement-cache=[prepared statements a session keeps before it closes the oldest]:N:' \
            '--connect-timeout=[how long opening all connections may take]:TIME:' \
            '--time=[length of the measured window; 0\: until --transactions are done]:TIME:' \
            '--transactions=[end after so many over all connections; 0\: when the time is over]:N:' \
            '--warmup=[load before the measured window begins]:TIME:' \
            '--collect=[looks a second at the load sessions, server counters beside; or off]:N:(off)' \
            '--interval=[time between two lines of progress, and length of a series'\'' step]:TIME:' \
            '--seed=[of what transactions ask for; drawn and recorded unless given]:N:(random)' \
            '--rate=[start so many, whatever the server does; 0\: closed loop]:N:' \
            '--arrival=[how the gaps between the starts of an open loop are spread]:WORD:(poisson constant)' \
            '--ramp=[an open loop whose rate rises\: 100..5000/60s]:TEXT:' \
            '--think=[mean pause of a session between transactions, closed loop]:TIME:' \
            '--terminals=[so many terminals share the connections, keying and thinking; 0\: none]:N:(full)' \
            '--latency-limit=[count later ones as late; open loop\: drop what is late already]:TIME:' \
            '--retries=[after a serialization failure or deadlock, beyond the first try]:N:(unlimited auto)' \
            '--retry=[what a retry asks for]:WORD:(auto same redraw)' \
            '--reconnect=[open a session'\''s connection anew after so many; 0\: never]:N:' \
            '--on-error=[what an error of the server leads to]:WORD:(policy continue stop)' \
            '--check=[are the data still consistent after the run?]:WORD:(auto always never)' \
            '--vacuum[after the run\: VACUUM of the workload'\''s tables, then CHECKPOINT]' \
            '--data-seed=[of the rows that load makes; kept with the data]:N:' \
            '--force[drop the data set that is there and load it anew]' \
            '--yes[do not ask before something is removed]' \
            '--percentiles=[which percentiles of latency are told]:LIST:' \
            '--label=[a name for what is tried; becomes part of the result'\''s folder]:TEXT:' \
            '--results=[folder in which the result'\''s folder is made]:DIR:_files -/' \
            '(-q --quiet)'{-q,--quiet}'[no progress, only the result and errors]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--table-size=[rows in each table, and the range of ids that are asked for; 0\: empty tables]:N:' \
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
            '--point-selects=[point selects in a transaction]:N:' \
            '--range-selects[off leaves out all four kinds of range selects]' \
            '--simple-ranges=[selects of a range in a transaction]:N:' \
            '--sum-ranges=[sums over a range in a transaction]:N:' \
            '--order-ranges=[selects of a range in order of c in a transaction]:N:' \
            '--distinct-ranges=[selects of distinct values of c of a range in a transaction]:N:' \
            '--range-size=[ids that a range select asks for]:N:' \
            '--index-updates=[updates of the indexed k in a transaction]:N:' \
            '--non-index-updates=[updates of c in a transaction]:N:' \
            '--delete-inserts=[deletes, each with an insert of the same id, in a transaction]:N:' \
            '--skip-trx[no BEGIN and COMMIT\: every statement by itself]' \
            '--random-points=[values in an IN list]:N:' \
            '--number-of-ranges=[select_random_ranges\: ranges of k in a statement]:N:' \
            '--delta=[select_random_ranges\: a range is k BETWEEN v AND v + delta]:N:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--rows=[rows in one INSERT, which is a transaction]:N:' \
            '--create-table-options=[raw SQL after the columns of CREATE TABLE]:TEXT:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(none percona percona-fixed)' \
            '--warehouses=[warehouses of a set, about 100 MB each]:N:' \
            '--tables=[complete sets of the nine tables\: warehouse1, warehouse2, ...]:N:' \
            '--mode=[where the transactions are made\: statement by statement, or there]:WORD:(sql functions)' \
            '--mix=[shares of the five transactions, or '\''deck'\'']:TEXT:' \
            '--home=[which warehouse a transaction belongs to]:WORD:(auto fixed all)' \
            '--use-fk[load\: the ten foreign keys of clause 1.3]' \
            '--partitions=[load\: hash partitions by warehouse of each table but item]:N:' \
            '--fillfactor=[load\: how full the pages of the tables are made]:N:' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(percona percona-fixed)' \
            '--tables=[complete sets of the nine tables]:N:' \
            '--scale=[warehouses of each set, about 100 MB each]:N:' \
            '--use-fk[load\: the ten foreign keys]' \
            '--trx-level=[isolation level, unless --isolation says another]:WORD:(RC RR SER)' \
            '--enable-purge[adds the purge of old orders to the mix]' \
            '--compat=[the published workload, or the same with its defects mended]:WORD:(hammerdb hammerdb-fixed)' \
            '--warehouses=[load\: how many, about 100 MB each]:N:' \
            '--routines=[what load makes of the five routines, and run calls]:WORD:(functions procedures)' \
            '--allwarehouse[share all warehouses out among the sessions]' \
            '--keyandthink[wait before and after each transaction, as a user would]' \
            '--partition[load\: order_line in parts, one for 100 warehouses]' \
            '--pgio-conf=[a pgio.conf, read as it is and never executed]:FILE:_files' \
            '--compat=[the published loop, with its defects]:WORD:(none pgio1)' \
            '--scale=[size of each table; a run may use less than there is]:TEXT:' \
            '--num-schemas=[number of tables pgio1, pgio2, ...]:N:' \
            '--num-threads=[sessions on each table; --connections says how many in all]:N:' \
            '--update-pct=[share of operations that update, evenly spread]:N:' \
            '--run-time=[as --time]:TIME:' \
            '--work-unit=[a SELECT reads so many blocks and one more]:N:' \
            '--update-work-unit=[an UPDATE writes so many blocks and one more]:N:' \
            '--create-base-table[load\: also pgio_base, which nothing reads]' \
            '--obfuscate-columns[load\: filler that storage cannot compress, not 1024 times X]' \
            '--redo-stress=[how much an UPDATE writes]:WORD:(lite heavy)' \
            '--rand-type=[which blocks are hot]:WORD:(uniform gaussian special pareto zipfian)' \
            '--rand-pareto-h=[pareto\: this share of keys gets 1 minus this share of draws]:N:' \
            '--rand-zipfian-exp=[zipfian\: the exponent theta]:N:' \
            '--do-hotspot[some operations go to a few keys]' \
            '--hotspot-mb=[size of these keys'\'' blocks]:N:' \
            '--hotspot-offset-mb=[so many keys'\'' blocks lie before them]:N:' \
            '--hotspot-frequency=[one of so many goes there]:N:' \
            '--hot-schema-frequency=[one of so many goes to table pgio1; 0\: none]:N:' \
            '--scan-pct=[share of operations that scan the table pgio_scan]:N:' \
            '--scan-table-sz=[load\: size of pgio_scan, made with --scan-pct]:TEXT:' \
            '--any-plan[run also when a plan does not go by the index]' \
            '--verify-sum=[hold the growth of scratch against the rows updated]:WORD:(auto always never)' \
            '--count=[for each connection, unless --time or --transactions ends it]:N:' \
            '*:workload:(null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping)'
        ;;
    list)
        _arguments \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '1:word:(workloads micro transactions options plans exit-codes)'
        ;;
    load)
        _arguments \
            '(-t --target)'{-t+,--target=}'[conninfo, URI, local or local\:MAJOR (a server that pgdyno keeps)]:TEXT:(local\:12 local\:13 local\:14 local\:15 local\:16 local\:17 local\:18 local)' \
            '--pg-bin=[folder with postgres, initdb and pg_ctl for a local target]:DIR:_files -/' \
            '--settings=[file of settings that a local server is started with]:FILE:_files' \
            '(-c --connections)'{-c+,--connections=}'[connections under load, each runs one transaction at a time]:N:' \
            '--connect-timeout=[how long opening all connections may take]:TIME:' \
            '--data-seed=[of the rows that load makes; kept with the data]:N:' \
            '--force[drop the data set that is there and load it anew]' \
            '--results=[folder in which the result'\''s folder is made]:DIR:_files -/' \
            '(-q --quiet)'{-q,--quiet}'[no progress, only the result and errors]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--table-size=[rows in each table, and the range of ids that are asked for; 0\: empty tables]:N:' \
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
            '--point-selects=[point selects in a transaction]:N:' \
            '--range-selects[off leaves out all four kinds of range selects]' \
            '--simple-ranges=[selects of a range in a transaction]:N:' \
            '--sum-ranges=[sums over a range in a transaction]:N:' \
            '--order-ranges=[selects of a range in order of c in a transaction]:N:' \
            '--distinct-ranges=[selects of distinct values of c of a range in a transaction]:N:' \
            '--range-size=[ids that a range select asks for]:N:' \
            '--index-updates=[updates of the indexed k in a transaction]:N:' \
            '--non-index-updates=[updates of c in a transaction]:N:' \
            '--delete-inserts=[deletes, each with an insert of the same id, in a transaction]:N:' \
            '--skip-trx[no BEGIN and COMMIT\: every statement by itself]' \
            '--random-points=[values in an IN list]:N:' \
            '--number-of-ranges=[select_random_ranges\: ranges of k in a statement]:N:' \
            '--delta=[select_random_ranges\: a range is k BETWEEN v AND v + delta]:N:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--rows=[rows in one INSERT, which is a transaction]:N:' \
            '--create-table-options=[raw SQL after the columns of CREATE TABLE]:TEXT:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(none percona percona-fixed)' \
            '--warehouses=[warehouses of a set, about 100 MB each]:N:' \
            '--tables=[complete sets of the nine tables\: warehouse1, warehouse2, ...]:N:' \
            '--mode=[where the transactions are made\: statement by statement, or there]:WORD:(sql functions)' \
            '--mix=[shares of the five transactions, or '\''deck'\'']:TEXT:' \
            '--home=[which warehouse a transaction belongs to]:WORD:(auto fixed all)' \
            '--use-fk[load\: the ten foreign keys of clause 1.3]' \
            '--partitions=[load\: hash partitions by warehouse of each table but item]:N:' \
            '--fillfactor=[load\: how full the pages of the tables are made]:N:' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(percona percona-fixed)' \
            '--tables=[complete sets of the nine tables]:N:' \
            '--scale=[warehouses of each set, about 100 MB each]:N:' \
            '--use-fk[load\: the ten foreign keys]' \
            '--trx-level=[isolation level, unless --isolation says another]:WORD:(RC RR SER)' \
            '--enable-purge[adds the purge of old orders to the mix]' \
            '--compat=[the published workload, or the same with its defects mended]:WORD:(hammerdb hammerdb-fixed)' \
            '--warehouses=[load\: how many, about 100 MB each]:N:' \
            '--routines=[what load makes of the five routines, and run calls]:WORD:(functions procedures)' \
            '--allwarehouse[share all warehouses out among the sessions]' \
            '--keyandthink[wait before and after each transaction, as a user would]' \
            '--partition[load\: order_line in parts, one for 100 warehouses]' \
            '--pgio-conf=[a pgio.conf, read as it is and never executed]:FILE:_files' \
            '--compat=[the published loop, with its defects]:WORD:(none pgio1)' \
            '--scale=[size of each table; a run may use less than there is]:TEXT:' \
            '--num-schemas=[number of tables pgio1, pgio2, ...]:N:' \
            '--num-threads=[sessions on each table; --connections says how many in all]:N:' \
            '--update-pct=[share of operations that update, evenly spread]:N:' \
            '--run-time=[as --time]:TIME:' \
            '--work-unit=[a SELECT reads so many blocks and one more]:N:' \
            '--update-work-unit=[an UPDATE writes so many blocks and one more]:N:' \
            '--create-base-table[load\: also pgio_base, which nothing reads]' \
            '--obfuscate-columns[load\: filler that storage cannot compress, not 1024 times X]' \
            '--redo-stress=[how much an UPDATE writes]:WORD:(lite heavy)' \
            '--rand-type=[which blocks are hot]:WORD:(uniform gaussian special pareto zipfian)' \
            '--rand-pareto-h=[pareto\: this share of keys gets 1 minus this share of draws]:N:' \
            '--rand-zipfian-exp=[zipfian\: the exponent theta]:N:' \
            '--do-hotspot[some operations go to a few keys]' \
            '--hotspot-mb=[size of these keys'\'' blocks]:N:' \
            '--hotspot-offset-mb=[so many keys'\'' blocks lie before them]:N:' \
            '--hotspot-frequency=[one of so many goes there]:N:' \
            '--hot-schema-frequency=[one of so many goes to table pgio1; 0\: none]:N:' \
            '--scan-pct=[share of operations that scan the table pgio_scan]:N:' \
            '--scan-table-sz=[load\: size of pgio_scan, made with --scan-pct]:TEXT:' \
            '--any-plan[run also when a plan does not go by the index]' \
            '--verify-sum=[hold the growth of scratch against the rows updated]:WORD:(auto always never)' \
            '--count=[for each connection, unless --time or --transactions ends it]:N:' \
            '*:workload:(null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping)'
        ;;
    run)
        _arguments \
            '--format=[how the run is told on the screen]:WORD:(text sysbench)' \
            '--find-rate=[find the highest rate that meets a limit such as '\''p99<=20ms'\'']:TEXT:' \
            '(-t --target)'{-t+,--target=}'[conninfo, URI, local or local\:MAJOR (a server that pgdyno keeps)]:TEXT:(local\:12 local\:13 local\:14 local\:15 local\:16 local\:17 local\:18 local)' \
            '--pg-bin=[folder with postgres, initdb and pg_ctl for a local target]:DIR:_files -/' \
            '--settings=[file of settings that a local server is started with]:FILE:_files' \
            '(-c --connections)'{-c+,--connections=}'[connections under load, each runs one transaction at a time]:N:' \
            '(-j --workers)'{-j+,--workers=}'[threads of pgdyno that share the connections]:N:(auto)' \
            '--protocol=[how statements are sent]:WORD:(auto prepared extended simple)' \
            '--pipeline[send independent statements of a transaction together]' \
            '--engine=[how pgdyno itself waits for the server]:WORD:(coroutine thread)' \
            '--isolation=[isolation level of transactions]:WORD:(default read-committed repeatable-read serializable)' \
            '--statement-cache=[prepared statements a session keeps before it closes the oldest]:N:' \
            '--connect-timeout=[how long opening all connections may take]:TIME:' \
            '--time=[length of the measured window; 0\: until --transactions are done]:TIME:' \
            '--transactions=[end after so many over all connections; 0\: when the time is over]:N:' \
            '--warmup=[load before the measured window begins]:TIME:' \
            '--collect=[looks a second at the load sessions, server counters beside; or off]:N:(off)' \
            '--interval=[time between two lines of progress, and length of a series'\'' step]:TIME:' \
            '--seed=[of what transactions ask for; drawn and recorded unless given]:N:(random)' \
            '--rate=[start so many, whatever the server does; 0\: closed loop]:N:' \
            '--arrival=[how the gaps between the starts of an open loop are spread]:WORD:(poisson constant)' \
            '--ramp=[an open loop whose rate rises\: 100..5000/60s]:TEXT:' \
            '--think=[mean pause of a session between transactions, closed loop]:TIME:' \
            '--terminals=[so many terminals share the connections, keying and thinking; 0\: none]:N:(full)' \
            '--latency-limit=[count later ones as late; open loop\: drop what is late already]:TIME:' \
            '--retries=[after a serialization failure or deadlock, beyond the first try]:N:(unlimited auto)' \
            '--retry=[what a retry asks for]:WORD:(auto same redraw)' \
            '--reconnect=[open a session'\''s connection anew after so many; 0\: never]:N:' \
            '--on-error=[what an error of the server leads to]:WORD:(policy continue stop)' \
            '--check=[are the data still consistent after the run?]:WORD:(auto always never)' \
            '--vacuum[after the run\: VACUUM of the workload'\''s tables, then CHECKPOINT]' \
            '--data-seed=[of the rows that load makes; kept with the data]:N:' \
            '--force[drop the data set that is there and load it anew]' \
            '--yes[do not ask before something is removed]' \
            '--percentiles=[which percentiles of latency are told]:LIST:' \
            '--label=[a name for what is tried; becomes part of the result'\''s folder]:TEXT:' \
            '--results=[folder in which the result'\''s folder is made]:DIR:_files -/' \
            '(-q --quiet)'{-q,--quiet}'[no progress, only the result and errors]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--table-size=[rows in each table, and the range of ids that are asked for; 0\: empty tables]:N:' \
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
            '--point-selects=[point selects in a transaction]:N:' \
            '--range-selects[off leaves out all four kinds of range selects]' \
            '--simple-ranges=[selects of a range in a transaction]:N:' \
            '--sum-ranges=[sums over a range in a transaction]:N:' \
            '--order-ranges=[selects of a range in order of c in a transaction]:N:' \
            '--distinct-ranges=[selects of distinct values of c of a range in a transaction]:N:' \
            '--range-size=[ids that a range select asks for]:N:' \
            '--index-updates=[updates of the indexed k in a transaction]:N:' \
            '--non-index-updates=[updates of c in a transaction]:N:' \
            '--delete-inserts=[deletes, each with an insert of the same id, in a transaction]:N:' \
            '--skip-trx[no BEGIN and COMMIT\: every statement by itself]' \
            '--random-points=[values in an IN list]:N:' \
            '--number-of-ranges=[select_random_ranges\: ranges of k in a statement]:N:' \
            '--delta=[select_random_ranges\: a range is k BETWEEN v AND v + delta]:N:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--rows=[rows in one INSERT, which is a transaction]:N:' \
            '--create-table-options=[raw SQL after the columns of CREATE TABLE]:TEXT:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(none percona percona-fixed)' \
            '--warehouses=[warehouses of a set, about 100 MB each]:N:' \
            '--tables=[complete sets of the nine tables\: warehouse1, warehouse2, ...]:N:' \
            '--mode=[where the transactions are made\: statement by statement, or there]:WORD:(sql functions)' \
            '--mix=[shares of the five transactions, or '\''deck'\'']:TEXT:' \
            '--home=[which warehouse a transaction belongs to]:WORD:(auto fixed all)' \
            '--use-fk[load\: the ten foreign keys of clause 1.3]' \
            '--partitions=[load\: hash partitions by warehouse of each table but item]:N:' \
            '--fillfactor=[load\: how full the pages of the tables are made]:N:' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(percona percona-fixed)' \
            '--tables=[complete sets of the nine tables]:N:' \
            '--scale=[warehouses of each set, about 100 MB each]:N:' \
            '--use-fk[load\: the ten foreign keys]' \
            '--trx-level=[isolation level, unless --isolation says another]:WORD:(RC RR SER)' \
            '--enable-purge[adds the purge of old orders to the mix]' \
            '--compat=[the published workload, or the same with its defects mended]:WORD:(hammerdb hammerdb-fixed)' \
            '--warehouses=[load\: how many, about 100 MB each]:N:' \
            '--routines=[what load makes of the five routines, and run calls]:WORD:(functions procedures)' \
            '--allwarehouse[share all warehouses out among the sessions]' \
            '--keyandthink[wait before and after each transaction, as a user would]' \
            '--partition[load\: order_line in parts, one for 100 warehouses]' \
            '--pgio-conf=[a pgio.conf, read as it is and never executed]:FILE:_files' \
            '--compat=[the published loop, with its defects]:WORD:(none pgio1)' \
            '--scale=[size of each table; a run may use less than there is]:TEXT:' \
            '--num-schemas=[number of tables pgio1, pgio2, ...]:N:' \
            '--num-threads=[sessions on each table; --connections says how many in all]:N:' \
            '--update-pct=[share of operations that update, evenly spread]:N:' \
            '--run-time=[as --time]:TIME:' \
            '--work-unit=[a SELECT reads so many blocks and one more]:N:' \
            '--update-work-unit=[an UPDATE writes so many blocks and one more]:N:' \
            '--create-base-table[load\: also pgio_base, which nothing reads]' \
            '--obfuscate-columns[load\: filler that storage cannot compress, not 1024 times X]' \
            '--redo-stress=[how much an UPDATE writes]:WORD:(lite heavy)' \
            '--rand-type=[which blocks are hot]:WORD:(uniform gaussian special pareto zipfian)' \
            '--rand-pareto-h=[pareto\: this share of keys gets 1 minus this share of draws]:N:' \
            '--rand-zipfian-exp=[zipfian\: the exponent theta]:N:' \
            '--do-hotspot[some operations go to a few keys]' \
            '--hotspot-mb=[size of these keys'\'' blocks]:N:' \
            '--hotspot-offset-mb=[so many keys'\'' blocks lie before them]:N:' \
            '--hotspot-frequency=[one of so many goes there]:N:' \
            '--hot-schema-frequency=[one of so many goes to table pgio1; 0\: none]:N:' \
            '--scan-pct=[share of operations that scan the table pgio_scan]:N:' \
            '--scan-table-sz=[load\: size of pgio_scan, made with --scan-pct]:TEXT:' \
            '--any-plan[run also when a plan does not go by the index]' \
            '--verify-sum=[hold the growth of scratch against the rows updated]:WORD:(auto always never)' \
            '--count=[for each connection, unless --time or --transactions ends it]:N:' \
            '*:workload:(null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping)'
        ;;
    bench)
        _arguments \
            '(-o --output)'{-o+,--output=}'[where the bench is kept; results/NAME of the plan by itself]:DIR:_files -/' \
            '--repeats=[in place of the plan'\''s; more than a finished bench has adds blocks to it]:N:' \
            '--scale-factor=[multiplies the sizes of all data\: --table-size, --warehouses, --scale]:N:' \
            '--time-factor=[multiplies the plan'\''s times\: --time, --warmup, and the waits of a suite]:N:' \
            '--dry-run[show the schedule and the time it will take, and do nothing]' \
            '--retry-failed[make runs again that failed]' \
            '--servers=[what becomes of local servers in the end]:WORD:(stop keep remove)' \
            '--trust-plan[take settings that make the server run, load or open something]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '1:word:(PLAN FOLDER)'
        ;;
    check)
        _arguments \
            '(-t --target)'{-t+,--target=}'[conninfo, URI, local or local\:MAJOR (a server that pgdyno keeps)]:TEXT:(local\:12 local\:13 local\:14 local\:15 local\:16 local\:17 local\:18 local)' \
            '--pg-bin=[folder with postgres, initdb and pg_ctl for a local target]:DIR:_files -/' \
            '--settings=[file of settings that a local server is started with]:FILE:_files' \
            '(-q --quiet)'{-q,--quiet}'[no progress, only the result and errors]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--table-size=[rows in each table, and the range of ids that are asked for; 0\: empty tables]:N:' \
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
            '--point-selects=[point selects in a transaction]:N:' \
            '--range-selects[off leaves out all four kinds of range selects]' \
            '--simple-ranges=[selects of a range in a transaction]:N:' \
            '--sum-ranges=[sums over a range in a transaction]:N:' \
            '--order-ranges=[selects of a range in order of c in a transaction]:N:' \
            '--distinct-ranges=[selects of distinct values of c of a range in a transaction]:N:' \
            '--range-size=[ids that a range select asks for]:N:' \
            '--index-updates=[updates of the indexed k in a transaction]:N:' \
            '--non-index-updates=[updates of c in a transaction]:N:' \
            '--delete-inserts=[deletes, each with an insert of the same id, in a transaction]:N:' \
            '--skip-trx[no BEGIN and COMMIT\: every statement by itself]' \
            '--random-points=[values in an IN list]:N:' \
            '--number-of-ranges=[select_random_ranges\: ranges of k in a statement]:N:' \
            '--delta=[select_random_ranges\: a range is k BETWEEN v AND v + delta]:N:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--rows=[rows in one INSERT, which is a transaction]:N:' \
            '--create-table-options=[raw SQL after the columns of CREATE TABLE]:TEXT:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(none percona percona-fixed)' \
            '--warehouses=[warehouses of a set, about 100 MB each]:N:' \
            '--tables=[complete sets of the nine tables\: warehouse1, warehouse2, ...]:N:' \
            '--mode=[where the transactions are made\: statement by statement, or there]:WORD:(sql functions)' \
            '--mix=[shares of the five transactions, or '\''deck'\'']:TEXT:' \
            '--home=[which warehouse a transaction belongs to]:WORD:(auto fixed all)' \
            '--use-fk[load\: the ten foreign keys of clause 1.3]' \
            '--partitions=[load\: hash partitions by warehouse of each table but item]:N:' \
            '--fillfactor=[load\: how full the pages of the tables are made]:N:' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(percona percona-fixed)' \
            '--tables=[complete sets of the nine tables]:N:' \
            '--scale=[warehouses of each set, about 100 MB each]:N:' \
            '--use-fk[load\: the ten foreign keys]' \
            '--trx-level=[isolation level, unless --isolation says another]:WORD:(RC RR SER)' \
            '--enable-purge[adds the purge of old orders to the mix]' \
            '--compat=[the published workload, or the same with its defects mended]:WORD:(hammerdb hammerdb-fixed)' \
            '--warehouses=[load\: how many, about 100 MB each]:N:' \
            '--routines=[what load makes of the five routines, and run calls]:WORD:(functions procedures)' \
            '--allwarehouse[share all warehouses out among the sessions]' \
            '--keyandthink[wait before and after each transaction, as a user would]' \
            '--partition[load\: order_line in parts, one for 100 warehouses]' \
            '--pgio-conf=[a pgio.conf, read as it is and never executed]:FILE:_files' \
            '--compat=[the published loop, with its defects]:WORD:(none pgio1)' \
            '--scale=[size of each table; a run may use less than there is]:TEXT:' \
            '--num-schemas=[number of tables pgio1, pgio2, ...]:N:' \
            '--num-threads=[sessions on each table; --connections says how many in all]:N:' \
            '--update-pct=[share of operations that update, evenly spread]:N:' \
            '--run-time=[as --time]:TIME:' \
            '--work-unit=[a SELECT reads so many blocks and one more]:N:' \
            '--update-work-unit=[an UPDATE writes so many blocks and one more]:N:' \
            '--create-base-table[load\: also pgio_base, which nothing reads]' \
            '--obfuscate-columns[load\: filler that storage cannot compress, not 1024 times X]' \
            '--redo-stress=[how much an UPDATE writes]:WORD:(lite heavy)' \
            '--rand-type=[which blocks are hot]:WORD:(uniform gaussian special pareto zipfian)' \
            '--rand-pareto-h=[pareto\: this share of keys gets 1 minus this share of draws]:N:' \
            '--rand-zipfian-exp=[zipfian\: the exponent theta]:N:' \
            '--do-hotspot[some operations go to a few keys]' \
            '--hotspot-mb=[size of these keys'\'' blocks]:N:' \
            '--hotspot-offset-mb=[so many keys'\'' blocks lie before them]:N:' \
            '--hotspot-frequency=[one of so many goes there]:N:' \
            '--hot-schema-frequency=[one of so many goes to table pgio1; 0\: none]:N:' \
            '--scan-pct=[share of operations that scan the table pgio_scan]:N:' \
            '--scan-table-sz=[load\: size of pgio_scan, made with --scan-pct]:TEXT:' \
            '--any-plan[run also when a plan does not go by the index]' \
            '--verify-sum=[hold the growth of scratch against the rows updated]:WORD:(auto always never)' \
            '--count=[for each connection, unless --time or --transactions ends it]:N:' \
            '*:workload:(null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping)'
        ;;
    drop)
        _arguments \
            '(-t --target)'{-t+,--target=}'[conninfo, URI, local or local\:MAJOR (a server that pgdyno keeps)]:TEXT:(local\:12 local\:13 local\:14 local\:15 local\:16 local\:17 local\:18 local)' \
            '--pg-bin=[folder with postgres, initdb and pg_ctl for a local target]:DIR:_files -/' \
            '--settings=[file of settings that a local server is started with]:FILE:_files' \
            '--yes[do not ask before something is removed]' \
            '(-q --quiet)'{-q,--quiet}'[no progress, only the result and errors]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--table-size=[rows in each table, and the range of ids that are asked for; 0\: empty tables]:N:' \
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
            '--point-selects=[point selects in a transaction]:N:' \
            '--range-selects[off leaves out all four kinds of range selects]' \
            '--simple-ranges=[selects of a range in a transaction]:N:' \
            '--sum-ranges=[sums over a range in a transaction]:N:' \
            '--order-ranges=[selects of a range in order of c in a transaction]:N:' \
            '--distinct-ranges=[selects of distinct values of c of a range in a transaction]:N:' \
            '--range-size=[ids that a range select asks for]:N:' \
            '--index-updates=[updates of the indexed k in a transaction]:N:' \
            '--non-index-updates=[updates of c in a transaction]:N:' \
            '--delete-inserts=[deletes, each with an insert of the same id, in a transaction]:N:' \
            '--skip-trx[no BEGIN and COMMIT\: every statement by itself]' \
            '--random-points=[values in an IN list]:N:' \
            '--number-of-ranges=[select_random_ranges\: ranges of k in a statement]:N:' \
            '--delta=[select_random_ranges\: a range is k BETWEEN v AND v + delta]:N:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--rows=[rows in one INSERT, which is a transaction]:N:' \
            '--create-table-options=[raw SQL after the columns of CREATE TABLE]:TEXT:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(none percona percona-fixed)' \
            '--warehouses=[warehouses of a set, about 100 MB each]:N:' \
            '--tables=[complete sets of the nine tables\: warehouse1, warehouse2, ...]:N:' \
            '--mode=[where the transactions are made\: statement by statement, or there]:WORD:(sql functions)' \
            '--mix=[shares of the five transactions, or '\''deck'\'']:TEXT:' \
            '--home=[which warehouse a transaction belongs to]:WORD:(auto fixed all)' \
            '--use-fk[load\: the ten foreign keys of clause 1.3]' \
            '--partitions=[load\: hash partitions by warehouse of each table but item]:N:' \
            '--fillfactor=[load\: how full the pages of the tables are made]:N:' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(percona percona-fixed)' \
            '--tables=[complete sets of the nine tables]:N:' \
            '--scale=[warehouses of each set, about 100 MB each]:N:' \
            '--use-fk[load\: the ten foreign keys]' \
            '--trx-level=[isolation level, unless --isolation says another]:WORD:(RC RR SER)' \
            '--enable-purge[adds the purge of old orders to the mix]' \
            '--compat=[the published workload, or the same with its defects mended]:WORD:(hammerdb hammerdb-fixed)' \
            '--warehouses=[load\: how many, about 100 MB each]:N:' \
            '--routines=[what load makes of the five routines, and run calls]:WORD:(functions procedures)' \
            '--allwarehouse[share all warehouses out among the sessions]' \
            '--keyandthink[wait before and after each transaction, as a user would]' \
            '--partition[load\: order_line in parts, one for 100 warehouses]' \
            '--pgio-conf=[a pgio.conf, read as it is and never executed]:FILE:_files' \
            '--compat=[the published loop, with its defects]:WORD:(none pgio1)' \
            '--scale=[size of each table; a run may use less than there is]:TEXT:' \
            '--num-schemas=[number of tables pgio1, pgio2, ...]:N:' \
            '--num-threads=[sessions on each table; --connections says how many in all]:N:' \
            '--update-pct=[share of operations that update, evenly spread]:N:' \
            '--run-time=[as --time]:TIME:' \
            '--work-unit=[a SELECT reads so many blocks and one more]:N:' \
            '--update-work-unit=[an UPDATE writes so many blocks and one more]:N:' \
            '--create-base-table[load\: also pgio_base, which nothing reads]' \
            '--obfuscate-columns[load\: filler that storage cannot compress, not 1024 times X]' \
            '--redo-stress=[how much an UPDATE writes]:WORD:(lite heavy)' \
            '--rand-type=[which blocks are hot]:WORD:(uniform gaussian special pareto zipfian)' \
            '--rand-pareto-h=[pareto\: this share of keys gets 1 minus this share of draws]:N:' \
            '--rand-zipfian-exp=[zipfian\: the exponent theta]:N:' \
            '--do-hotspot[some operations go to a few keys]' \
            '--hotspot-mb=[size of these keys'\'' blocks]:N:' \
            '--hotspot-offset-mb=[so many keys'\'' blocks lie before them]:N:' \
            '--hotspot-frequency=[one of so many goes there]:N:' \
            '--hot-schema-frequency=[one of so many goes to table pgio1; 0\: none]:N:' \
            '--scan-pct=[share of operations that scan the table pgio_scan]:N:' \
            '--scan-table-sz=[load\: size of pgio_scan, made with --scan-pct]:TEXT:' \
            '--any-plan[run also when a plan does not go by the index]' \
            '--verify-sum=[hold the growth of scratch against the rows updated]:WORD:(auto always never)' \
            '--count=[for each connection, unless --time or --transactions ends it]:N:' \
            '*:workload:(null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping)'
        ;;
    show)
        _arguments \
            '--json=[one value by its path\: summary.transactions.per_s]:TEXT:' \
            '--format=[how to show the whole]:WORD:(text json sysbench plans)' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '*:word:_files'
        ;;
    compare)
        _arguments \
            '--by=[sides by label, version, major, host, client or any path of a result]:TEXT:' \
            '--base=[name of the side that the others are held against]:TEXT:' \
            '--paired[the first run of a side belongs to the first of the other]' \
            '--metric=[path of the number to compare\: summary.latency_ms.response.p99]:TEXT:' \
            '--lower-is-better[less of the metric is faster; known by itself for times and errors]' \
            '--threshold=[a difference below it does not matter]:N:' \
            '--allow=[compare although sides differ in durability, mode, options, data]:TEXT:' \
            '--fail-if=[when to end with exit code 7]:WORD:(never slower)' \
            '--format=[how to show it]:WORD:(text markdown csv json)' \
            '--detail[a line with interval and verdict for each side, also when there are many]' \
            '--per-query[tables of what a query cost\: CPU, context switches, I/O]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '*:word:_files'
        ;;
    aa)
        _arguments \
            '--blocks=[pairs of runs]:N:' \
            '--metric=[path of the number that is looked at, as for compare]:TEXT:' \
            '(-t --target)'{-t+,--target=}'[conninfo, URI, local or local\:MAJOR (a server that pgdyno keeps)]:TEXT:(local\:12 local\:13 local\:14 local\:15 local\:16 local\:17 local\:18 local)' \
            '--pg-bin=[folder with postgres, initdb and pg_ctl for a local target]:DIR:_files -/' \
            '--settings=[file of settings that a local server is started with]:FILE:_files' \
            '(-c --connections)'{-c+,--connections=}'[connections under load, each runs one transaction at a time]:N:' \
            '(-j --workers)'{-j+,--workers=}'[threads of pgdyno that share the connections]:N:(auto)' \
            '--protocol=[how statements are sent]:WORD:(auto prepared extended simple)' \
            '--pipeline[send independent statements of a transaction together]' \
            '--engine=[how pgdyno itself waits for the server]:WORD:(coroutine thread)' \
            '--isolation=[isolation level of transactions]:WORD:(default read-committed repeatable-read serializable)' \
            '--statement-cache=[prepared statements a session keeps before it closes the oldest]:N:' \
            '--connect-timeout=[how long opening all connections may take]:TIME:' \
            '--time=[length of the measured window; 0\: until --transactions are done]:TIME:' \
            '--transactions=[end after so many over all connections; 0\: when the time is over]:N:' \
            '--warmup=[load before the measured window begins]:TIME:' \
            '--collect=[looks a second at the load sessions, server counters beside; or off]:N:(off)' \
            '--interval=[time between two lines of progress, and length of a series'\'' step]:TIME:' \
            '--seed=[of what transactions ask for; drawn and recorded unless given]:N:(random)' \
            '--rate=[start so many, whatever the server does; 0\: closed loop]:N:' \
            '--arrival=[how the gaps between the starts of an open loop are spread]:WORD:(poisson constant)' \
            '--ramp=[an open loop whose rate rises\: 100..5000/60s]:TEXT:' \
            '--think=[mean pause of a session between transactions, closed loop]:TIME:' \
            '--terminals=[so many terminals share the connections, keying and thinking; 0\: none]:N:(full)' \
            '--latency-limit=[count later ones as late; open loop\: drop what is late already]:TIME:' \
            '--retries=[after a serialization failure or deadlock, beyond the first try]:N:(unlimited auto)' \
            '--retry=[what a retry asks for]:WORD:(auto same redraw)' \
            '--reconnect=[open a session'\''s connection anew after so many; 0\: never]:N:' \
            '--on-error=[what an error of the server leads to]:WORD:(policy continue stop)' \
            '--check=[are the data still consistent after the run?]:WORD:(auto always never)' \
            '--vacuum[after the run\: VACUUM of the workload'\''s tables, then CHECKPOINT]' \
            '--data-seed=[of the rows that load makes; kept with the data]:N:' \
            '--force[drop the data set that is there and load it anew]' \
            '--yes[do not ask before something is removed]' \
            '--percentiles=[which percentiles of latency are told]:LIST:' \
            '--label=[a name for what is tried; becomes part of the result'\''s folder]:TEXT:' \
            '--results=[folder in which the result'\''s folder is made]:DIR:_files -/' \
            '(-q --quiet)'{-q,--quiet}'[no progress, only the result and errors]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--table-size=[rows in each table, and the range of ids that are asked for; 0\: empty tables]:N:' \
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
            '--point-selects=[point selects in a transaction]:N:' \
            '--range-selects[off leaves out all four kinds of range selects]' \
            '--simple-ranges=[selects of a range in a transaction]:N:' \
            '--sum-ranges=[sums over a range in a transaction]:N:' \
            '--order-ranges=[selects of a range in order of c in a transaction]:N:' \
            '--distinct-ranges=[selects of distinct values of c of a range in a transaction]:N:' \
            '--range-size=[ids that a range select asks for]:N:' \
            '--index-updates=[updates of the indexed k in a transaction]:N:' \
            '--non-index-updates=[updates of c in a transaction]:N:' \
            '--delete-inserts=[deletes, each with an insert of the same id, in a transaction]:N:' \
            '--skip-trx[no BEGIN and COMMIT\: every statement by itself]' \
            '--random-points=[values in an IN list]:N:' \
            '--number-of-ranges=[select_random_ranges\: ranges of k in a statement]:N:' \
            '--delta=[select_random_ranges\: a range is k BETWEEN v AND v + delta]:N:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--tables=[number of tables sbtest1, sbtest2, ...]:N:' \
            '--rows=[rows in one INSERT, which is a transaction]:N:' \
            '--create-table-options=[raw SQL after the columns of CREATE TABLE]:TEXT:' \
            '--compat=[do as another tool does, also where that is a defect]:WORD:(none sysbench)' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(none percona percona-fixed)' \
            '--warehouses=[warehouses of a set, about 100 MB each]:N:' \
            '--tables=[complete sets of the nine tables\: warehouse1, warehouse2, ...]:N:' \
            '--mode=[where the transactions are made\: statement by statement, or there]:WORD:(sql functions)' \
            '--mix=[shares of the five transactions, or '\''deck'\'']:TEXT:' \
            '--home=[which warehouse a transaction belongs to]:WORD:(auto fixed all)' \
            '--use-fk[load\: the ten foreign keys of clause 1.3]' \
            '--partitions=[load\: hash partitions by warehouse of each table but item]:N:' \
            '--fillfactor=[load\: how full the pages of the tables are made]:N:' \
            '--compat=[whose TPC-C-like workload this is]:WORD:(percona percona-fixed)' \
            '--tables=[complete sets of the nine tables]:N:' \
            '--scale=[warehouses of each set, about 100 MB each]:N:' \
            '--use-fk[load\: the ten foreign keys]' \
            '--trx-level=[isolation level, unless --isolation says another]:WORD:(RC RR SER)' \
            '--enable-purge[adds the purge of old orders to the mix]' \
            '--compat=[the published workload, or the same with its defects mended]:WORD:(hammerdb hammerdb-fixed)' \
            '--warehouses=[load\: how many, about 100 MB each]:N:' \
            '--routines=[what load makes of the five routines, and run calls]:WORD:(functions procedures)' \
            '--allwarehouse[share all warehouses out among the sessions]' \
            '--keyandthink[wait before and after each transaction, as a user would]' \
            '--partition[load\: order_line in parts, one for 100 warehouses]' \
            '--pgio-conf=[a pgio.conf, read as it is and never executed]:FILE:_files' \
            '--compat=[the published loop, with its defects]:WORD:(none pgio1)' \
            '--scale=[size of each table; a run may use less than there is]:TEXT:' \
            '--num-schemas=[number of tables pgio1, pgio2, ...]:N:' \
            '--num-threads=[sessions on each table; --connections says how many in all]:N:' \
            '--update-pct=[share of operations that update, evenly spread]:N:' \
            '--run-time=[as --time]:TIME:' \
            '--work-unit=[a SELECT reads so many blocks and one more]:N:' \
            '--update-work-unit=[an UPDATE writes so many blocks and one more]:N:' \
            '--create-base-table[load\: also pgio_base, which nothing reads]' \
            '--obfuscate-columns[load\: filler that storage cannot compress, not 1024 times X]' \
            '--redo-stress=[how much an UPDATE writes]:WORD:(lite heavy)' \
            '--rand-type=[which blocks are hot]:WORD:(uniform gaussian special pareto zipfian)' \
            '--rand-pareto-h=[pareto\: this share of keys gets 1 minus this share of draws]:N:' \
            '--rand-zipfian-exp=[zipfian\: the exponent theta]:N:' \
            '--do-hotspot[some operations go to a few keys]' \
            '--hotspot-mb=[size of these keys'\'' blocks]:N:' \
            '--hotspot-offset-mb=[so many keys'\'' blocks lie before them]:N:' \
            '--hotspot-frequency=[one of so many goes there]:N:' \
            '--hot-schema-frequency=[one of so many goes to table pgio1; 0\: none]:N:' \
            '--scan-pct=[share of operations that scan the table pgio_scan]:N:' \
            '--scan-table-sz=[load\: size of pgio_scan, made with --scan-pct]:TEXT:' \
            '--any-plan[run also when a plan does not go by the index]' \
            '--verify-sum=[hold the growth of scratch against the rows updated]:WORD:(auto always never)' \
            '--count=[for each connection, unless --time or --transactions ends it]:N:' \
            '*:workload:(null oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert micro micro/hot-points micro/point-query micro/points-covered-pk micro/points-covered-si micro/points-notcovered-pk micro/points-notcovered-si micro/random-points_range=10 micro/random-points_range=100 micro/random-points_range=1000 micro/range-covered-pk micro/range-covered-si micro/range-notcovered-pk micro/range-notcovered-si micro/scan micro/read-only-count micro/read-only-distinct micro/read-only-order micro/read-only_range=10 micro/read-only_range=100 micro/read-only_range=10000 micro/read-only-simple micro/read-only-sum micro/delete micro/insert micro/read-write_range=10 micro/read-write_range=100 micro/update-index micro/update-inlist micro/update-nonindex micro/update-one micro/update-zipf micro/write-only tpcc tproc pgio ping)'
        ;;
    server)
        _arguments \
            '--major=[major version, as 17; the word alone does as well]:N:' \
            '--tcp[start\: also listen on 127.0.0.1, with a password]' \
            '--pg-bin=[folder with postgres, initdb and pg_ctl for a local target]:DIR:_files -/' \
            '--settings=[file of settings that a local server is started with]:FILE:_files' \
            '--yes[do not ask before something is removed]' \
            '(-q --quiet)'{-q,--quiet}'[no progress, only the result and errors]' \
            '(-h --help)'{-h,--help}'[this text, for the verb and workload given]' \
            '1:word:(list start stop remove url)' \
            '2:major:(12 13 14 15 16 17 18)'
        ;;
    esac
}
_pgdyno "$@"
