/** A small disk that a test can fill: a file system in memory, if this machine can mount it. */
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
  /** Uses up all remaining space. */
  fill(): void
  /** Frees the space that `fill` used. */
  freeSpace(): void
  /** Remounts the disk: read-only, as after a disk error, or writable. */
  setReadOnly(isReadOnly: boolean): void
  /** Creates empty files until only `freeInodes` inodes are free. */
  fillFiles(freeInodes: number): void
  /** Removes the files that `fillFiles` created. */
  removeFillerFiles(): void
  remove(): void
}

const mount = (args: readonly string[]): boolean =>
  spawnSync('mount', args, { stdio: 'ignore' }).status === 0
const unmount = (folder: string): void =>
  void spawnSync('umount', ['--lazy', folder], { stdio: 'ignore' })

/** Tries to mount a file system, which only root may do. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-mount-'))
  const isPossible = mount(['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  if (isPossible) unmount(folder)
  rmSync(folder, { recursive: true, force: true })
  return isPossible
}

/** False if the tests may not mount a file system. They then print a warning and test only file size limits. */
export const hasSmallDisks = canMount()
if (!hasSmallDisks)
  console.warn('· no file system can be mounted here: tests that need a small disk are skipped')

/** Mounts a disk of this size. `inodeCount` defaults to the system's default number of inodes. */
export function makeSmallDisk(megabytes: number, inodeCount?: number): SmallDisk {
  const parent = mkdtempSync(join(tmpdir(), 'rollcall-disk-'))
  const folder = join(parent, 'disk')
  // PostgreSQL does not run as root, so other users must be able to enter the folder.
  chmodSync(parent, 0o755)
  mkdirSync(folder)
  const inodes = inodeCount === undefined ? '' : `,nr_inodes=${inodeCount}`
  if (!mount(['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755${inodes}`, 'tmpfs', folder]))
    throw new Error(`${folder} cannot be mounted`)
  const fillerFile = join(folder, 'filler')
  const emptyFilesFolder = join(folder, 'empty')
  return {
    folder,
    fill() {
      const file = openSync(fillerFile, 'a')
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
    freeSpace: () => rmSync(fillerFile, { force: true }),
    setReadOnly(isReadOnly) {
      if (!mount(['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder]))
        throw new Error(`${folder} cannot be mounted again`)
    },
    fillFiles(remaining) {
      mkdirSync(emptyFilesFolder, { recursive: true })
      for (let n = statfsSync(folder).ffree; n > remaining; n -= 1)
        writeFileSync(join(emptyFilesFolder, `${n}`), '')
    },
    removeFillerFiles: () => rmSync(emptyFilesFolder, { recursive: true, force: true }),
    remove() {
      unmount(folder)
      rmSync(parent, { recursive: true, force: true })
    },
  }
}
