"""What the benches share: ratios of paired blocks, and work on several connections at once."""

import math
import threading

# Two-sided 97.5 % quantiles of Student's t for 1, 2, 3, ... degrees of freedom.
T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
         2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
         2.052, 2.048, 2.045)


def mean_interval(values):
    """(mean, low, high): the geometric mean of positive values and its 95 % interval."""
    logs = [math.log(value) for value in values]
    count, mean = len(logs), sum(logs) / len(logs)
    if count < 2:
        return math.exp(mean), 0.0, math.inf
    spread = math.sqrt(sum((log - mean) ** 2 for log in logs) / (count - 1) / count)
    reach = T_975[min(count - 1, len(T_975)) - 1] * spread
    return math.exp(mean), math.exp(mean - reach), math.exp(mean + reach)


def ratio_interval(ours, others):
    """The same of the ratios of pairs."""
    return mean_interval([mine / other for mine, other in zip(ours, others)])


def side_by_side(server, jobs, connections):
    """Runs SQL texts on that many connections at once, in their order; each job is a text."""
    lock, waiting, failed = threading.Lock(), list(jobs), []

    def work():
        while True:
            with lock:
                if not waiting or failed:
                    return
                job = waiting.pop(0)
            try:
                server.sql(job, timeout=1800)
            except AssertionError as error:
                failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
