"""The log of a process."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.settings import Settings


def logging_of(settings: "Settings", process: str = "") -> dict:
    """Returns the configuration of the log: one line for each message on standard error, with its
    time, level and origin, which begins with the name of the `process` where there are several. Of
    uvicorn's own messages, only warnings and errors are shown.
    """
    level = settings.log_level.upper()
    line = f"%(asctime)s %(levelname)-7s {process}%(name)s: %(message)s"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"format": line}},
        "handlers": {"errors": {"class": "logging.StreamHandler", "formatter": "line"}},
        "loggers": {
            "vitrine": {"handlers": ["errors"], "level": level, "propagate": False},
            "uvicorn": {"handlers": ["errors"], "level": "WARNING", "propagate": False},
        },
    }
