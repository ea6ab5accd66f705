/** Reads how many file descriptors this process has open, and its limit. */
import { open, readdir, readFile } from 'node:fs/promises'

/** Above this fraction of the limit the operator should know. */
const NEARLY = 0.9

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
    const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1])
    return length > most * NEARLY ? { is: 'few', open: length, most } : { is: 'free' }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Other systems have no such folder.
    return code === 'EMFILE' || code === 'ENFILE' ? { is: 'none' } : { is: 'free' }
  }
}
