"""The counters of `/metrics`, in the format that Prometheus reads, and what counts each answer."""

import time
from collections.abc import Callable, Collection, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.compute.backend import Load

NAMESPACE = "vitrine"
SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60)
GAUGES = {
    "waiting": "Jobs that have not begun",
    "paused": "Long computations that have begun and wait for their next turn",
    "core_slowness": "Seconds in which the slowest core does what the reference core does in one",
    "cache_bytes": "Bytes of the answers that are kept",
    "sending_bytes": "Bytes of large answers on their way to clients",
    "streams": "Event streams that are computed",
    "trainings": "Trainings that run or wait",
}
OF_PARTS = {
    "waiting": "Jobs that have not begun, by replica",
    "running": "Jobs that have their turn, by replica",
    "replaced": "Worker processes that had to be replaced, by replica",
}
COUNTERS = {
    "dropped_unstarted": "Jobs that were dropped because everybody who waited had left",
    "cancelled": "Computations that were ended before their answer",
    "workers_replaced": "Worker processes that had to be replaced",
}


class Metrics:
    """The counters of one application. `load` returns the numbers of the moment, and `parts` the
    load of each worker or replica by its name, where there are several.
    """

    def __init__(self, load: Callable[[], dict], parts: Callable[[], dict[str, Load]]):
        self.registry = CollectorRegistry()
        self.load, self.parts = load, parts
        self.answers = self.counter("answers", "Answers of the API", "word", "outcome")
        self.latency = self.histogram("answer_seconds", "Time until an answer is sent")
        self.computations = self.counter(
            "computations", "Jobs that the worker has finished", "word", "outcome"
        )
        self.compute = self.histogram("compute_seconds", "Time of the worker for a job")
        self.cache = self.counter("cache", "Questions by whether the cache had them", "hit")
        self.registry.register(Present(self))

    def counter(self, name: str, sentence: str, *labels: str) -> Counter:
        return Counter(name, sentence, labels, namespace=NAMESPACE, registry=self.registry)

    def histogram(self, name: str, sentence: str) -> Histogram:
        """Makes a histogram of seconds by word."""
        return Histogram(
            name, sentence, ["word"], NAMESPACE, registry=self.registry, buckets=SECONDS
        )

    def computed(self, word: str, outcome: str, seconds: float) -> None:
        self.computations.labels(word, outcome).inc()
        self.compute.labels(word).observe(seconds)

    def answered(self, word: str, outcome: str, seconds: float) -> None:
        self.answers.labels(word, outcome).inc()
        self.latency.labels(word).observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self.registry)


class Present(Collector):
    """Reports the present load at each scrape."""

    def __init__(self, metrics: Metrics):
        self.metrics = metrics

    def collect(self) -> Iterator[Metric]:
        load = self.metrics.load()
        for name, sentence in GAUGES.items():
            if name in load:
                yield GaugeMetricFamily(f"{NAMESPACE}_{name}", sentence, load[name])
        for name, sentence in COUNTERS.items():
            if name in load:
                yield CounterMetricFamily(f"{NAMESPACE}_{name}", sentence, load[name])
        parts = self.metrics.parts()
        for name, sentence in OF_PARTS.items() if parts else ():
            family = GaugeMetricFamily(f"{NAMESPACE}_replica_{name}", sentence, labels=["replica"])
            for part, part_load in parts.items():
                family.add_metric([part], getattr(part_load, name))
            yield family
        ready = float(load["worker"] == "ready")
        yield GaugeMetricFamily(f"{NAMESPACE}_worker_ready", "Whether the worker answers", ready)


class MeasuringMiddleware:
    """Counts and times each answer below `prefix` by its word and status. A path with none of these
    words counts as "unknown", so that nobody can create new labels.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, prefix: str, words: Collection[str]):
        self.app, self.metrics = app, metrics
        self.prefix, self.words = f"{prefix}/", words

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(self.prefix):
            await self.app(scope, receive, send)
            return
        word = scope["path"].removeprefix(self.prefix).partition("/")[0]
        word = word if word in self.words else "unknown"
        begun = time.perf_counter()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.metrics.answered(word, str(message["status"]), time.perf_counter() - begun)
            await send(message)

        await self.app(scope, receive, counted)
