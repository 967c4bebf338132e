"""The networks of /recurrence: RNN and LSTM encoder-decoders, with and without Bahdanau's
attention, and a Transformer, all trained on the same batches to spell random words backwards.

    python -m model.recurrent.train --out checkpoints/reversers

trains each network with three seeds, and the LSTM also with truncated backpropagation, then
measures them and writes weights and record to OUT/weights/reversers. Finished trainings are not
repeated, and an interrupted one resumes from its last checkpoint.
"""

import argparse
import hashlib
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_

from model.recurrent.reversal import (
    decoder_input,
    expected,
    random_words,
    right,
    share_of_letters,
    share_of_words,
)
from model.recurrent.reversers import (
    FOLDER,
    LONGEST,
    NETWORKS,
    RECORD,
    TRAINED,
    TRAININGS,
    TRUNCATED,
    TRUNCATIONS,
    Reverser,
    file_name,
    fresh_reverser,
)
from model.training.checkpoint import State, load_checkpoint, save_checkpoint, save_weights
from model.training.schedule import Cycle, Dropout
from model.zoo.files import write_atomically, write_json

BATCH = 128
STEPS = 1500
CHECKPOINT_EVERY = 250
CLIP = 1.0  # the maximum gradient norm (Pascanu et al. 2013, algorithm 1)
PEAKS = {
    "rnn": 2e-3,
    "lstm": 5e-3,
    "rnn-attention": 2e-3,
    "lstm-attention": 5e-3,
    "transformer": 3e-3,
}
HELD_OUT = 256  # words per length
HELD_OUT_SEED = 2**40  # no training uses it


def cycle(name: str) -> Cycle:
    return Cycle(peak=PEAKS[name], warmup=100, steps=STEPS, dropout=Dropout(numbers=0.0))


def batch(seed: int, step: int) -> Tensor:
    """The words of one step, [word, letter], all with the same random length. They depend only on
    seed and step, so that all networks train on the same words.
    """
    draws = torch.Generator().manual_seed(seed * 1_000_003 + step)
    length = int(torch.randint(1, TRAINED + 1, (), generator=draws))
    return random_words(BATCH, length, draws)


def loss(network: Reverser, words: Tensor, truncation: int | None = None) -> Tensor:
    """The mean of -ln p over the output tokens, with teacher forcing."""
    logits = network(words, decoder_input(words), truncation=truncation)
    return cross_entropy(logits.flatten(0, 1), expected(words).flatten())


def train(
    name: str, seed: int, folder: Path, truncation: int | None = None, stop_after: int = STEPS
) -> tuple[Reverser, State]:
    """Trains the network `name` from the checkpoint in `folder`, if there is one, to the end or to
    step `stop_after`.
    """
    draws = torch.Generator().manual_seed(seed)
    network, plan = fresh_reverser(name, draws), cycle(name)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9)
    run = {"network": name, "seed": seed, "truncation": truncation, "cycle": asdict(plan)}
    state = load_checkpoint(folder, network, optimizer, draws, run)
    while state.done < stop_after:
        optimizer.param_groups[0]["lr"] = plan.rate(state.done)
        optimizer.zero_grad()
        loss(network, batch(seed, state.done), truncation).backward()
        clip_grad_norm_(network.parameters(), CLIP)
        optimizer.step()
        state.done += 1
        if state.done % CHECKPOINT_EVERY == 0 or state.done == stop_after:
            save_checkpoint(folder, network, optimizer, draws, state, run)
    return network, state


def stored(network: nn.Module) -> bytes:
    """The weights to include, rounded to float16. The network itself is rounded too, so that the
    measures apply to these.
    """
    network.half().float()
    return save_weights(network)


def by_length(network: Reverser) -> tuple[list[float], list[float]]:
    """The fractions of correct letters and words, for each length from 1 to LONGEST."""
    found = [right(network, held_out(length)) for length in range(1, LONGEST + 1)]
    return [share_of_letters(each) for each in found], [share_of_words(each) for each in found]


def by_letter(network: Reverser) -> list[float]:
    """The fraction of correct letters at each output position, for the longest words in
    training.
    """
    return right(network, held_out(TRAINED))[:, :-1].double().mean(0).tolist()


def held_out(length: int) -> Tensor:
    return random_words(HELD_OUT, length, torch.Generator().manual_seed(HELD_OUT_SEED + length))


def describe(out: Path) -> None:
    """Measures all trained networks in `out` and writes weights and record to
    `out`/weights/reversers.
    """
    digests, steps = {}, {}
    letters, words, truncated = ([[] for _ in range(TRAININGS)] for _ in range(3))
    for seed in range(TRAININGS):
        for name in NETWORKS:
            network, state = train(name, seed, out / f"{name}-{seed}")
            content = stored(network)
            write_atomically(out / "weights" / FOLDER / file_name(name, seed), content)
            digests[file_name(name, seed)] = hashlib.sha256(content).hexdigest()
            steps[name] = state.done
            shares = by_length(network)
            letters[seed].append(shares[0])
            words[seed].append(shares[1])
            if name == TRUNCATED:
                whole = by_letter(network)
        for truncation in TRUNCATIONS:
            network, _ = train(TRUNCATED, seed, truncated_folder(out, truncation, seed), truncation)
            stored(network)
            truncated[seed].append(by_letter(network))
        truncated[seed].append(whole)
    record = {
        "kind": "trained",
        "task": f"random words of 1 to {TRAINED} letters, to be written backwards",
        "training": {
            "steps": steps,
            "batch": BATCH,
            "clip": CLIP,
            "cycles": {name: asdict(cycle(name)) for name in NETWORKS},
            "seeds": list(range(TRAININGS)),
        },
        "parameters": {
            name: sum(p.numel() for p in fresh_reverser(name, torch.Generator()).parameters())
            for name in NETWORKS
        },
        "measured": {"letters": letters, "words": words, "truncated": truncated},
        "how": (
            f"{HELD_OUT} random words of each length, drawn with a seed that no training uses. Each"
            " network reads what it has written itself. letters: share of letters that are right at"
            " their places, for words of 1, 2, … letters. words: share of words that are right to"
            f" the end. truncated: share of right letters at each place of what the {TRUNCATED}"
            f" writes for words of {TRAINED} letters, trained with the gradient cut after"
            f" {', '.join(map(str, TRUNCATIONS))} steps, and not at all"
        ),
        "sha256": digests,
    }
    write_json(out / "weights" / FOLDER / RECORD, record)


def truncated_folder(out: Path, truncation: int, seed: int) -> Path:
    return out / f"{TRUNCATED}-truncated-{truncation}-{seed}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the networks of /recurrence.")
    parser.add_argument("--out", type=Path, default=Path("checkpoints/reversers"), metavar="DIR")
    parser.add_argument("--seed", type=int, help="train this seed only, and measure nothing")
    parser.add_argument("--networks", nargs="*", help="train these only, and measure nothing")
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.seed is None and args.networks is None:
        return describe(args.out)
    for seed in range(TRAININGS) if args.seed is None else [args.seed]:
        for name in args.networks if args.networks is not None else NETWORKS:
            train(name, seed, args.out / f"{name}-{seed}")
        if args.networks is None:
            for k in TRUNCATIONS:
                train(TRUNCATED, seed, truncated_folder(args.out, k, seed), k)
    return None


if __name__ == "__main__":
    main()
