# SPDX-License-Identifier: Apache-2.0
# make          build build/assay, and build/assay-search-mpi where there is MPI; says which packages are missing
# make demo     set everything up and run a first experiment on the bundled documents
# make check    set everything up, then lint and every test
# make bench    time kernels, detectors and installed engines; dated files in bench/results/
# make fuzz-smoke    run each fuzzer for a minute under sanitizers (clang); fuzz/README.md
# make lint     layout, include arrows, clang-tidy, scripts
# make install  the program, libassay, its headers and pkg-config file below DESTDIR and PREFIX (/usr/local)
# make corpus-large    freeze the manuals of Debian packages, a corpus of the size that matters
# make clean    remove what was built; models/ and the .venv-*/ stay

configure = cmake --preset release --log-level=WARNING >/dev/null
demo_model = models/ch_PP-OCRv4_det_infer.onnx

PREFIX ?= /usr/local

.PHONY: all demo check bench fuzz-smoke lint install corpus-large clean
all:
	@tools/deps --check build
	@$(configure)
	@cmake --build build --target programs

demo:
	@tools/deps build run
	@$(MAKE) --no-print-directory all
	@tools/models
	@rm -rf build/demo
	build/assay freeze examples/*.pdf -o build/demo/corpus
	build/assay experiment --model $(demo_model) --corpus build/demo/corpus \
		--policy default=native --policy gemm=native,conv=gemm \
		--policy split=native,split-at=16,split-to=8 -o build/demo/run
	@echo "The report is build/demo/run/report.html"

check:
	@tools/deps
	@tools/models
	@tools/oracle
	@$(configure)
	@cmake --build build
	@tools/lint
	@ctest --test-dir build --output-on-failure --timeout 300 -j2
	@echo "Kernels against their references, natively and under qemu:"
	@grep -hE '^[a-z0-9]+: [0-9]+ cases agree|kernels SKIPPED' build/Testing/Temporary/LastTest.log

bench:
	@tools/deps --check build
	@$(configure)
	@cmake --build build
	@tools/models
	@tools/bench

fuzz-smoke:
	@tools/deps build fuzz
	@cmake --preset fuzz --log-level=WARNING >/dev/null
	@cmake --build --preset fuzz
	@tools/fuzz

lint:
	@$(configure)
	@cmake --build build
	@tools/lint

install: all
	@cmake --build build --target assay_shared manual
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

corpus-large: all
	@tools/deps run
	@tools/corpus_large

clean:
	rm -rf build build-asan build-tsan build-coverage build-neon build-fuzz
