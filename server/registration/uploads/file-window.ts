/** A file read and changed where it lies through a window of fixed size, so that no more of it is ever in memory. */
import type { FileHandle } from 'node:fs/promises'
import { assert } from '../../../engine/index.ts'

export type FileWindow = {
  /** The length of the file. */
  readonly bytes: number
  /**
   * What `read` answers, when the window lies over all of it already; else null. Files that are nothing
   * but heads of four bytes would otherwise cost a turn for each. Good until the window is used again.
   */
  seen(at: number, length: number): Buffer | null
  /** So many bytes, fewer where the file ends. */
  read(at: number, length: number): Promise<Buffer>
  /** Where `first` is next followed by a byte that fits, from `at` on; the length of the file when nowhere. */
  findPair(at: number, first: number, fits: (second: number) => boolean): Promise<number>
  /** All pieces from `at` to before `end`, in order. */
  each(at: number, end: number, use: (piece: Buffer) => void): Promise<void>
  /** The same, and what `use` does to a piece is done to the file. */
  change(at: number, end: number, use: (piece: Buffer) => void): Promise<void>
  /** Over what lies there; never beyond the end of the file. */
  write(at: number, bytes: Buffer): Promise<void>
  /** Writes what is still on its way; says whether anything was written since the window was opened. */
  flush(): Promise<boolean>
}

/** A window on a file that is open for reading and writing, and that nobody else changes; at least two bytes wide. */
export function openWindow(file: FileHandle, bytes: number, windowBytes: number): FileWindow {
  const memory = Buffer.alloc(windowBytes)
  let start = 0
  let view = memory.subarray(0, 0)
  let isAhead = false
  let wasWritten = false

  const save = async (): Promise<void> => {
    if (!isAhead) return
    for (let done = 0; done < view.length;)
      done += (await file.write(view, done, view.length - done, start + done)).bytesWritten
    isAhead = false
  }
  const moveTo = async (at: number): Promise<void> => {
    await save()
    start = at
    view = memory.subarray(0, Math.min(windowBytes, bytes - at))
    for (let done = 0; done < view.length;) {
      const { bytesRead } = await file.read(view, done, view.length - done, at + done)
      assert(bytesRead > 0, 'a file is shorter than it was when it came')
      done += bytesRead
    }
  }
  const holds = (at: number, end: number): boolean => at >= start && end <= start + view.length
  const each: FileWindow['each'] = async (from, to, use) => {
    const end = Math.min(to, bytes)
    for (let at = from; at < end;) {
      if (!holds(at, at + 1)) await moveTo(at)
      const piece = view.subarray(at - start, end - start)
      use(piece)
      at += piece.length
    }
  }
  const change: FileWindow['change'] = (at, end, use) =>
    each(at, end, (piece) => {
      use(piece)
      isAhead = true
      wasWritten = true
    })
  return {
    bytes,
    seen: (at, length) =>
      holds(at, at + length) ? view.subarray(at - start, at - start + length) : null,
    read: async (at, length) => {
      const whole = Buffer.alloc(Math.max(0, Math.min(length, bytes - at)))
      let done = 0
      await each(at, at + length, (piece) => {
        done += piece.copy(whole, done)
      })
      return whole
    },
    findPair: async (from, first, fits) => {
      for (let at = from; at + 2 <= bytes;) {
        if (!holds(at, at + 2)) await moveTo(at)
        for (let index = at - start; index + 1 < view.length; index += 1)
          if (view[index] === first && fits(view[index + 1] ?? 0)) return start + index
        // The last byte may be the first of a pair that lies across two windows.
        at = start + view.length - 1
      }
      return bytes
    },
    each,
    change,
    write: async (at, what) => {
      let done = 0
      await change(at, at + what.length, (piece) => {
        done += what.copy(piece, 0, done)
      })
    },
    flush: async () => {
      await save()
      return wasWritten
    },
  }
}
