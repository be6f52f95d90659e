#!/usr/bin/env bash
# Run a command on a SLURM cluster of one node and two slots, made for it on the loopback
# interface: munge, slurmctld and slurmd as Debian has them. Run as root:
#
#     tests/cluster/slurm.sh snakemake --profile profiles/slurm ...
#
# Exits with the status of the command, or with 77 where no such cluster can be made.
set -euo pipefail

for program in munged slurmctld slurmd; do
    if ! PATH=$PATH:/usr/sbin command -v "$program" > /dev/null; then
        echo "$program is missing: apt-get install slurmctld slurmd slurm-client munge" >&2
        exit 77
    fi
done
if [ "$(id -u)" -ne 0 ]; then
    echo "slurmd starts the jobs of others, and so only as root" >&2
    exit 77
fi
PATH=$PATH:/usr/sbin
# Where the commands look within a job, whose environment names no other place.
conf=/etc/slurm/slurm.conf
if [ -e "$conf" ]; then
    echo "$conf exists: this machine belongs to a cluster" >&2
    exit 77
fi

# munged refuses a folder that others can write in, and everything above it.
home=$(mktemp -d -p /run)
chmod 755 "$home"
running=()
down() {
    for process in "${running[@]}"; do kill "$process" 2> /dev/null || true; done
    wait 2> /dev/null || true
    if [ -n "${ANNOBENCH_SLURM_LOGS:-}" ]; then cp "$home"/*.log "$ANNOBENCH_SLURM_LOGS"; fi
    rm -rf "$home" "$conf"
}
trap down EXIT

port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

mkdir -m 700 "$home/keys"
(umask 077 && head -c 1024 /dev/urandom > "$home/keys/munge.key")
mkdir -m 755 "$home/socket"
munged --foreground --force --key-file "$home/keys/munge.key" --num-threads 2 \
    --socket "$home/socket/munge" --pid-file "$home/munged.pid" --seed-file "$home/keys/seed" \
    --log-file "$home/keys/munged.log" > "$home/munged.log" 2>&1 &
running+=($!)

node=$(hostname -s)
mkdir -p "${conf%/*}"
cat > "$conf" << EOF
ClusterName=loopback
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$(port)
SlurmdPort=$(port)
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$home/socket/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=1,bf_interval=2
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd.pid
SlurmctldLogFile=$home/slurmctld.log
SlurmdLogFile=$home/slurmd.log
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
# Finished jobs are asked for by squeue, as nothing stores them.
MinJobAge=600
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 RealMemory=8000 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
EOF
mkdir "$home/state" "$home/spool"

for _ in $(seq 50); do [ -S "$home/socket/munge" ] && break; sleep 0.1; done
slurmctld -D -c > "$home/slurmctld.out.log" 2>&1 &
running+=($!)
slurmd -D -c > "$home/slurmd.out.log" 2>&1 &
running+=($!)
for _ in $(seq 100); do
    if [ "$(sinfo --noheader --format %t 2> /dev/null)" = idle ]; then break; fi
    sleep 0.3
done
if [ "$(sinfo --noheader --format %t)" != idle ]; then
    echo "The node does not answer:" >&2
    tail -n 5 "$home"/*.log >&2
    exit 1
fi

"$@"
