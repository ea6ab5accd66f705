/** Reads the number of open file descriptors of this process, and its limit. */
import { readFileSync } from 'node:fs'
import { open, readdir, readFile } from 'node:fs/promises'

/** Above this fraction of the limit, the operator is warned. */
const WARNING_FRACTION = 0.9
/** Advice for a process whose limit is too low. */
export const RAISE_LIMIT_ADVICE =
  'Raise the limit: LimitNOFILE in the systemd unit, or ulimit -n in a shell.'
/** A server needs about fifty descriptors, plus one for each connection. */
const MIN_DESCRIPTORS = 128

export type Descriptors =
  | { readonly is: 'free' }
  | { readonly is: 'few'; readonly open: number; readonly limit: number }
  | { readonly is: 'none' }

/**
 * Checks how many descriptors are free. Returns `none` if no file can be opened now. `folder` can be any readable
 * folder.
 */
export async function checkDescriptors(folder: string): Promise<Descriptors> {
  try {
    await (await open(folder, 'r')).close()
    const { length: openCount } = await readdir('/proc/self/fd')
    const limitsText = await readFile('/proc/self/limits', 'utf8')
    const limit = parseLimit(limitsText)
    return openCount > limit * WARNING_FRACTION
      ? { is: 'few', open: openCount, limit }
      : { is: 'free' }
  } catch (error) {
    // Other operating systems have no /proc/self.
    return isDescriptorError(error) ? { is: 'none' } : { is: 'free' }
  }
}

/** Returns true if an error means that the process or the system cannot open any more files. */
export function isDescriptorError(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return code === 'EMFILE' || code === 'ENFILE'
}

const parseLimit = (limitsText: string): number =>
  Number(/^Max open files\s+(\d+)/m.exec(limitsText)?.[1] ?? Number.POSITIVE_INFINITY)

/** Explains why a server cannot run with so few descriptors. Null if there are enough, or the limit is unknown. */
export function explainTooFewDescriptors(): string | null {
  try {
    const limit = parseLimit(readFileSync('/proc/self/limits', 'utf8'))
    return limit < MIN_DESCRIPTORS
      ? `This process may open ${limit} files and connections, but a server needs at least ${MIN_DESCRIPTORS}. ${RAISE_LIMIT_ADVICE}`
      : null
  } catch (error) {
    return isDescriptorError(error)
      ? `This process cannot open any more files. ${RAISE_LIMIT_ADVICE}`
      : null
  }
}
