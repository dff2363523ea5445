#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1    # one rank for each node,
#SBATCH --cpus-per-task=64     # with all its cores
#SBATCH --time=01:00:00
# With a GPU for each rank: #SBATCH --gpus-per-task=1, and FORALL_BACKEND=gpu below.
set -euo pipefail

# The MPI library with which the program was built: module load openmpi
export FORALL_RANKS="$SLURM_NTASKS"    # an error at once if the ranks do not find each other
export FORALL_STALL=600,abort          # an error if a rank has waited for 10 minutes

srun --mpi=pmix --cpus-per-task="$SLURM_CPUS_PER_TASK" "${PROGRAM:-target/release/{{name}}}" "$@"
