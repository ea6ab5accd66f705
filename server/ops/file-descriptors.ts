/** Reads how many file descriptors this process has open, and its limit. */
import { readFileSync } from 'node:fs'
import { open, readdir, readFile } from 'node:fs/promises'

/** Above this fraction of the limit the operator should know. */
const NEARLY = 0.9
/** What helps a process that may open too few. */
export const RAISE_LIMIT = 'Raise the limit: LimitNOFILE of the unit, or ulimit -n in a shell.'
/** A server opens about fifty for itself, and one for each connection. */
const SERVER_MIN = 128

export type Descriptors =
  | { readonly is: 'free' }
  | { readonly is: 'few'; readonly open: number; readonly most: number }
  | { readonly is: 'none' }

/** `none`: no file can be opened now, and hardly any connection accepted. `folder`: any readable folder. */
export async function lookAtDescriptors(folder: string): Promise<Descriptors> {
  try {
    await (await open(folder, 'r')).close()
    const { length } = await readdir('/proc/self/fd')
    const limits = await readFile('/proc/self/limits', 'utf8')
    const most = limitIn(limits)
    return length > most * NEARLY ? { is: 'few', open: length, most } : { is: 'free' }
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

const limitIn = (limits: string): number =>
  Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)

/** Explains why a server cannot run with so few descriptors, in sentences. Null if they are enough, or unknown. */
export function tooFewDescriptors(): string | null {
  try {
    const most = limitIn(readFileSync('/proc/self/limits', 'utf8'))
    return most < SERVER_MIN
      ? `This process may open ${most} files and connections, and a server needs ${SERVER_MIN} at least. ${RAISE_LIMIT}`
      : null
  } catch (error) {
    return isOfDescriptors(error) ? `This process can open no more files. ${RAISE_LIMIT}` : null
  }
}
