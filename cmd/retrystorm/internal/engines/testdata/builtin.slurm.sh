#!/bin/bash
# recovering-server on Slurm: 3 shards and their merge, by retrystorm emit.
#
#   bash FILE           submits the shards, and the merge that waits for them
#   bash FILE --wait    the same, and ends when the merge does, with its exit code
#   bash FILE 2,7       submits shards 2 and 7 again, and the merge
#   bash FILE merge     merges here and now
#
# The merge also begins when shards have failed: its exit code is 4 then, and it
# names what is missing. Submitting again does no harm: what is finished is left
# alone, what was stopped goes on where it was, and the merge writes its result anew.
# After a change of the scenario, or of the number of shards, remove
# recovering-server.shards first: else the merge ends with exit code 2, and the old result
# stays.
#
# Submit it in a folder that all nodes see, and keep the file until the merge has
# begun. RETRYSTORM is the command, if it is not in the PATH of the nodes;
# SBATCH_PARTITION, SBATCH_ACCOUNT and sbatch's other variables are for both jobs.
#SBATCH --job-name=recovering-server
#SBATCH --array=1-3
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=2048M
#SBATCH --time=60
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

shards=3
retrystorm=${RETRYSTORM:-retrystorm}

# The count is the one above: SLURM_ARRAY_TASK_COUNT is less when some shards run
# again.
shard() {
	exec "$retrystorm" run recovering-server -o recovering-server.shards --resume --jobs "${SLURM_CPUS_PER_TASK:-1}" \
		--shard "$1/$shards"
}

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
	shard "$SLURM_ARRAY_TASK_ID"
fi

if [ "${1:-}" = merge ]; then
	# A finished shard has nothing left to do, unless it is of another scenario;
	# the merge finds out whether all shards are of one.
	for finished in recovering-server.shards/shard-*-of-"$shards"/shard.json; do
		[ -e "$finished" ] || break
		finished=${finished#*/shard-}
		(shard "${finished%%-of-*}")
		break
	done
	exec "$retrystorm" merge recovering-server.shards -o recovering-server.result --force
fi

wait=
if [ "${1:-}" = --wait ]; then
	wait=--wait
	shift
fi
tasks=${1:-1-$shards}
file=$(realpath "$0")
array=$(sbatch --parsable --array="$tasks" "$file")
array=${array%%;*} # the cluster may follow
echo "shards $tasks are job $array"
# Not the file itself: what it says of the array would count for the merge, too.
sbatch ${wait:+"$wait"} --dependency=afterany:"$array" --job-name=recovering-server-merge --open-mode=append \
	--ntasks=1 --mem=2048M --time=60 --wrap="exec bash $(printf %q "$file") merge"
