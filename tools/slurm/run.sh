#!/bin/sh
# Runs the checks of the command line on a Slurm of two nodes, for make test-slurm. Where Slurm is not installed it says
# so and is done. Root is not needed, and nothing outside a temporary folder is written.
set -eu
cd "$(dirname "$0")/../.."
. tools/env.sh
PATH="$PATH:/usr/sbin" # daemons

for program in munged slurmctld slurmd sbatch squeue scancel scontrol; do
	command -v "$program" >/dev/null || {
		echo "skipped: no $program here (Debian, Ubuntu: apt install slurm-wlm munge)"
		exit 0
	}
done
exec timeout --kill-after=30 3600 .venv/bin/python -m unittest discover -v -s tools/slurm -p 'check_*.py'
