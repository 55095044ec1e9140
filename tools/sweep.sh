#!/bin/sh
# Makes runs in the background at the lowest priority: sweep.sh start ["STUDY [FLAGS]"...], pause, stop. It runs a copy
# of bin/pengcde, so that a build does no harm. Started again it goes on, from checkpoints or from where it was paused.
set -eu
cd "$(dirname "$0")/.."
usual="table1 --profile full --models constant,gn-ode,adjacency,original,peng"
folder=build/sweep
mkdir -p $folder
# All processes of a sweep keep a lock, so that the number of their group is believed only while they live.
lock=$folder/lock
group() { ! flock -n $lock true && [ -s $folder/group ]; }
signal() { kill "-$1" "-$(cat $folder/group)"; }

case ${1:-} in
start)
	shift
	exec 9>>$lock
	if ! flock -n 9; then
		if [ $# -gt 0 ] && [ "$(printf '%s\n' "$@")" != "$(cat $folder/studies)" ]; then
			echo "sweep: another runs: $(cat $folder/studies); end it by make sweep-stop" >&2
			exit 1
		fi
		signal CONT
		echo "sweep: goes on; what it makes is in $folder/log"
		exit
	fi
	rm -f $folder/group # of one that did not end by stop
	[ $# -gt 0 ] || set -- "$usual"
	printf '%s\n' "$@" >$folder/studies
	cp -f bin/pengcde $folder/pengcde
	(
		trap '' HUP
		# A session of its own is a group of its own, that signals reach with all workers.
		exec setsid sh -c 'for study; do eval "nice -n 19 ./build/sweep/pengcde run $study" || exit; done' sweep "$@"
	) >>$folder/log 2>&1 </dev/null &
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
		flock $lock true
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
