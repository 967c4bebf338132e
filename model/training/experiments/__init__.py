"""Experiments: small trainings that compare members over several seeds. Their measurements are
stored in model/results; the trained weights are not.
"""

from model.training.experiments import (
    attribution,
    fine_tuning,
    learned_positions,
    norm_placement,
    persistent_slots,
)

EXPERIMENTS = {
    experiment.id: experiment
    for experiment in (
        learned_positions.EXPERIMENT,
        norm_placement.EXPERIMENT,
        fine_tuning.EXPERIMENT,
        persistent_slots.EXPERIMENT,
        attribution.EXPERIMENT,
    )
}
