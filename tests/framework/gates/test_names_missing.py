"""A name that exists for one exercise is not missing for another: no setting that says how a definition is computed is left out of
an exercise's mistakes while it changes what the exercise gives."""

import subprocess

from conftest import BUILD, EXERCISES


@EXERCISES
def test_every_setting_that_changes_an_output_has_its_name(lab, exercise):
    run = subprocess.run([BUILD / f"{lab.name}_exercises", "--names-missing", "--exercise", exercise.function],
                         stdout=subprocess.PIPE, text=True, check=True)
    assert run.stdout.splitlines() == [], "give the exercise the bit that these need, or list them in its `without`"
