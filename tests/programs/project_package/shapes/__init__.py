from .powers import *
from .powers import flat
from .train import train
