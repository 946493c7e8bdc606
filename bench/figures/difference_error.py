"""How far differences with a step h are from the derivative: one-sided and central, for eˣ at points between 0.5 and 1.5."""

from math import exp
from statistics import median

import numpy as np
from labs import lab06

points = [0.5 + p / 100 for p in range(101)]
SIDES = {"one-sided": lambda at, h: (exp(at + h) - exp(at)) / h,
         "central": lambda at, h: lab06.central_differences(lambda x: exp(x[0]), np.array([at]), h)[0]}

print(f"# relative error, median over {len(points)} points from 0.5 to 1.5\nh," + ",".join(SIDES))
for h in [10.0 ** (-0.5 * half_decades) for half_decades in range(29)]:
    # The median: at a single point rounding may cancel by luck.
    errors = [median(abs(slope(at, h) / exp(at) - 1.0) for at in points) for slope in SIDES.values()]
    print("%.3g,%.3g,%.3g" % (h, *errors))
