#!/bin/sh
# Makes runs in the background at the lowest priority: sweep.sh start "STUDY [FLAGS]"..., pause, stop. It runs a copy of
# bin/pengcde, so that a build does no harm. Started again it goes on, from checkpoints or from where it was paused.
set -eu
cd "$(dirname "$0")/.."
folder=build/sweep
group() { [ -s $folder/group ] && kill -0 "-$(cat $folder/group)" 2>/dev/null; }
signal() { kill "-$1" "-$(cat $folder/group)"; }

case ${1:-} in
start)
	shift
	if group; then
		signal CONT
		echo "sweep: goes on; what it makes is in $folder/log"
		exit
	fi
	mkdir -p $folder
	cp -f bin/pengcde $folder/pengcde
	(
		trap '' HUP
		# A session of its own is a group of its own, that signals reach with all workers.
		exec setsid sh -c 'for study; do eval "nice -n 19 ./build/sweep/pengcde run $study" || exit; done' sweep "$@"
	) >$folder/log 2>&1 </dev/null &
	echo $! >$folder/group
	echo "sweep: started; what it makes is in $folder/log"
	;;
pause)
	if group; then signal STOP && echo "sweep: paused; make sweep goes on"; else echo "sweep: there is none"; fi
	;;
stop)
	if group; then
		signal TERM
		signal CONT # what is paused does not end
		while group; do sleep 0.2; done
		echo "sweep: stopped, with checkpoints"
	else
		echo "sweep: there is none"
	fi
	;;
*)
	echo "sweep.sh: want start, pause or stop, got '${1:-}'" >&2
	exit 2
	;;
esac
