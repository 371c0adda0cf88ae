# SPDX-License-Identifier: Apache-2.0
"""What the recipes of this folder share: their options, their corpus, and one experiment that goes on
where it stopped when the same line is given again.

    study = Study(__doc__)
    study.experiment(["base=native", "gemm=native,conv=gemm"], "--rounds", 6)

Every recipe is called as  recipes/NAME -o RUN [--quick] [--model M] [--corpus C] [-- EXPERIMENT OPTIONS]
and its exit status is that of `assay experiment`.  $ASSAY names the program, build/assay is the default.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUICK_DPI = 60  # lines of the bundled documents are 9 pixels high then, which both models find


def stop(status, sentence):
    print(f"{pathlib.Path(sys.argv[0]).name}: {sentence}", file=sys.stderr)
    sys.exit(status)


class Study:
    def __init__(self, doc, max_batch=16, add_options=None):
        """`max_batch` is of a corpus that the recipe freezes itself."""
        parser = argparse.ArgumentParser(description=doc, allow_abbrev=False,
                                         formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("-o", dest="run", required=True, metavar="RUN", help="folder of the run")
        parser.add_argument("--quick", action="store_true",
                            help="a round on the bundled documents at low resolution")
        parser.add_argument("--model", default=ROOT / "models/PP-OCRv6_det_small.onnx", metavar="M")
        parser.add_argument("--corpus", metavar="C", help="default: build/corpus-large")
        if add_options:
            add_options(parser)
        own, behind = sys.argv[1:], []
        if "--" in own:
            at = own.index("--")
            own, behind = own[:at], own[at + 1:]
        self.options, self.more = parser.parse_args(own), behind
        self.assay = os.environ.get("ASSAY", str(ROOT / "build/assay"))
        self.run = pathlib.Path(self.options.run)
        self.is_quick = self.options.quick
        self.corpus = self.find_corpus(max_batch)

    def call(self, *words, **more):
        """Run assay. @return its exit status.  Ctrl-C reaches it too: it ends, and says how to go on."""
        with subprocess.Popen([self.assay, *map(str, words)], **more) as process:
            while True:
                try:
                    return process.wait()
                except KeyboardInterrupt:
                    continue

    def find_corpus(self, max_batch):
        """-> the corpus: the user's, a quick one of the bundled documents, or the large one."""
        if self.options.corpus:
            return pathlib.Path(self.options.corpus)
        if self.is_quick:
            documents = sorted((ROOT / "examples").glob("*.pdf"))
            return self.freeze(documents, max_batch, "--dpi", QUICK_DPI)
        large = ROOT / "build/corpus-large"
        if not large.exists():
            stop(4, f"{large} is not there, 'make corpus-large' makes it (or name one by --corpus)")
        return large

    def freeze(self, documents, max_batch, *more):
        """A corpus of this recipe's own, beside the run."""
        folder = self.run.with_name(self.run.name + ".corpus")
        if not folder.exists():
            status = self.call("freeze", *documents, "--max-batch", max_batch, *more, "-o", folder, "-q",
                               stdout=subprocess.DEVNULL)
            if status:
                sys.exit(status)
        return folder

    def calls(self):
        """-> the corpus' calls as manifest.json has them."""
        try:
            return json.loads((self.corpus / "manifest.json").read_text(encoding="utf-8"))["calls"]
        except (OSError, ValueError, KeyError) as why:
            return stop(4, f"{self.corpus} is no corpus: {why}")

    def experiment(self, policies, *more):
        """Measure, or go on with what was begun. @return the exit status."""
        if (self.run / "evidence.db").exists():
            return self.call("experiment", "--resume", self.run)
        words = [word for policy in policies for word in ("--policy", policy)]
        return self.call("experiment", "--model", self.options.model, "--corpus", self.corpus, *words,
                         *more, *self.more, "-o", self.run)

    def rounds(self, n):
        """-> the option for n rounds, one where it is to be quick."""
        return ("--rounds", 1 if self.is_quick else n)

    def summary(self):
        return json.loads((self.run / "summary.json").read_text(encoding="utf-8"))
