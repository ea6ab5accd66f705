/** Reads the CPU time of a process as the kernel counts it: Linux, from /proc. */
import { readFileSync } from 'node:fs'

/** The kernel's clock tick, a hundredth of a second, in microseconds. */
const TICK_US = 10_000

/** Returns the CPU time that all threads of a process have used so far, in microseconds. @param {number} pid */
export const readCpu = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) * TICK_US
}
