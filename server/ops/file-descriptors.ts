/** Reads how many file descriptors this process has open, and its limit. */
import { readFileSync } from 'node:fs'
import { open, readdir, readFile } from 'node:fs/promises'

/** Above this fraction of the limit the operator should know. */
const WARNING_FRACTION = 0.9
/** What helps a process that may open too few. */
export const RAISE_LIMIT = 'Raise the limit: LimitNOFILE of the unit, or ulimit -n in a shell.'
/** A server opens about fifty for itself, and one for each connection. */
const MIN_DESCRIPTORS = 128

export type Descriptors =
  | { readonly is: 'free' }
  | { readonly is: 'few'; readonly open: number; readonly limit: number }
  | { readonly is: 'none' }

/** `none`: no file can be opened now, and hardly any connection accepted. `folder`: any readable folder. */
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
    // Other systems have no such folder.
    return isOfDescriptors(error) ? { is: 'none' } : { is: 'free' }
  }
}

/** The process, or the system, can open no more files. */
export function isOfDescriptors(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return code === 'EMFILE' || code === 'ENFILE'
}

const parseLimit = (limitsText: string): number =>
  Number(/^Max open files\s+(\d+)/m.exec(limitsText)?.[1] ?? Number.POSITIVE_INFINITY)

/** Explains why a server cannot run with so few descriptors, in sentences. Null if they are enough, or unknown. */
export function tooFewDescriptors(): string | null {
  try {
    const limit = parseLimit(readFileSync('/proc/self/limits', 'utf8'))
    return limit < MIN_DESCRIPTORS
      ? `This process may open ${limit} files and connections, and a server needs ${MIN_DESCRIPTORS} at least. ${RAISE_LIMIT}`
      : null
  } catch (error) {
    return isOfDescriptors(error) ? `This process can open no more files. ${RAISE_LIMIT}` : null
  }
}
