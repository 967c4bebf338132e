# /warmup.
-found_by = warm-up, learning rate schedule, learning rate, Noam schedule, optimiser, Adam, step size, scheduler, Adafactor, stable training, diverges, loss spikes
