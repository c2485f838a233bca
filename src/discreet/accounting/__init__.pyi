"""The public names, each listed once with the module that defines it."""

from discreet.accounting.composition import basic_loss as basic_loss
from discreet.accounting.composition import optimal_delta as optimal_delta
from discreet.accounting.composition import optimal_epsilon as optimal_epsilon
from discreet.accounting.composition import parallel_loss as parallel_loss
from discreet.accounting.composition import total_loss as total_loss
from discreet.accounting.filters import Filter as Filter
from discreet.accounting.filters import Odometer as Odometer
from discreet.accounting.filters import Totals as Totals
from discreet.accounting.filters import charge as charge
from discreet.accounting.fixed_batch import batch_delta as batch_delta
from discreet.accounting.fixed_batch import batch_epsilon as batch_epsilon
from discreet.accounting.fixed_batch import integer_gaussian_delta as integer_gaussian_delta
from discreet.accounting.fixed_batch import integer_gaussian_epsilon as integer_gaussian_epsilon
from discreet.accounting.fixed_batch import largest_fitting as largest_fitting
from discreet.accounting.fixed_batch import least_noise as least_noise
from discreet.accounting.loss_distribution import loss_distribution_delta as loss_distribution_delta
from discreet.accounting.loss_distribution import (
    loss_distribution_epsilon as loss_distribution_epsilon,
)
from discreet.accounting.renyi import renyi_delta as renyi_delta
from discreet.accounting.renyi import renyi_epsilon as renyi_epsilon
from discreet.accounting.spending import Spending as Spending
from discreet.accounting.zcdp import zcdp_delta as zcdp_delta
from discreet.accounting.zcdp import zcdp_epsilon as zcdp_epsilon
