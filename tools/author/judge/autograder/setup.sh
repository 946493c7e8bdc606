#!/bin/sh
# Gradescope runs this once, as root, when it makes the image. Another image: RUN sh /autograder/source/setup.sh
cd "$(dirname "$0")/course" && sh tools/setup.sh --with-grading && cmake --preset reference &&
    cmake --build build/reference --target judge
