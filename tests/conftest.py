"""What all tests share."""

import os

from hypothesis import HealthCheck, settings

# No verdict may depend on how busy the machine is: no deadline, no check for slow generation.
# In CI the same examples are tried every time, so that a red run can be repeated.
settings.register_profile(
    "battlejudge",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("battlejudge")
