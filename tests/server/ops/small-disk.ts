/** A disk of a few megabytes, which a test can fill: a file system in memory, where this machine lets the tests mount one. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type SmallDisk = {
  readonly folder: string
  /** Takes every byte that is left. */
  fill(): void
  /** Gives back what `fill` took. */
  makeRoom(): void
  /** Mounts it again: read-only, as a system does after an error of the disk, or as before. */
  setReadOnly(isReadOnly: boolean): void
  /** Creates empty files until there is room for so many more. */
  fillFiles(left: number): void
  /** Removes them. */
  makeRoomForFiles(): void
  remove(): void
}

const mounts = (args: readonly string[]): boolean =>
  spawnSync('mount', args, { stdio: 'ignore' }).status === 0
const unmount = (folder: string): void =>
  void spawnSync('umount', ['--lazy', folder], { stdio: 'ignore' })

/** Only root may mount. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-mount-'))
  const can = mounts(['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  if (can) unmount(folder)
  rmSync(folder, { recursive: true, force: true })
  return can
}

/** False where the tests may not mount, which is said once: then only what a limit of the size of files shows is tested. */
export const hasSmallDisks = canMount()
if (!hasSmallDisks)
  console.warn('· no file system can be mounted here: what needs a small disk is left out')

/** `files`: how many files and folders it takes; left out: as many as the system gives it. */
export function makeSmallDisk(megabytes: number, files?: number): SmallDisk {
  const top = mkdtempSync(join(tmpdir(), 'rollcall-disk-'))
  const folder = join(top, 'disk')
  // PostgreSQL does not run as root.
  chmodSync(top, 0o755)
  mkdirSync(folder)
  const inodes = files === undefined ? '' : `,nr_inodes=${files}`
  if (!mounts(['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755${inodes}`, 'tmpfs', folder]))
    throw new Error(`${folder} cannot be mounted`)
  const filler = join(folder, 'filler')
  const empty = join(folder, 'empty')
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a')
      try {
        for (const bytes of [65_536, 4_096, 1])
          try {
            for (;;) writeSync(file, Buffer.alloc(bytes))
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
          }
      } finally {
        closeSync(file)
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    setReadOnly(isReadOnly) {
      if (!mounts(['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder]))
        throw new Error(`${folder} cannot be mounted again`)
    },
    fillFiles(left) {
      mkdirSync(empty, { recursive: true })
      for (let n = statfsSync(folder).ffree; n > left; n -= 1)
        writeFileSync(join(empty, `${n}`), '')
    },
    makeRoomForFiles: () => rmSync(empty, { recursive: true, force: true }),
    remove() {
      unmount(folder)
      rmSync(top, { recursive: true, force: true })
    },
  }
}
