/** Reads and changes a file in place through a window of fixed size, which bounds memory use. */
import type { FileHandle } from 'node:fs/promises'
import { assert } from '../../../engine/index.ts'

export type FileWindow = {
  /** The length of the file. */
  readonly bytes: number
  /**
   * Returns what `read` would return if the window already covers all of it; else null. Without it, a file that
   * consists only of four-byte headers would need one asynchronous turn per header. Valid until the window is
   * used again.
   */
  seen(at: number, length: number): Buffer | null
  /** Reads this many bytes, fewer at the end of the file. */
  read(at: number, length: number): Promise<Buffer>
  /**
   * Returns the position from `at` on where `first` is followed by a byte that fits; the length of the file if
   * there is none.
   */
  findPair(at: number, first: number, fits: (second: number) => boolean): Promise<number>
  /** Visits all pieces from `at` up to `end` (exclusive), in order. */
  each(at: number, end: number, use: (piece: Buffer) => void): Promise<void>
  /** The same, and writes the changes that `use` makes to a piece into the file. */
  change(at: number, end: number, use: (piece: Buffer) => void): Promise<void>
  /** Overwrites existing bytes; never writes beyond the end of the file. */
  write(at: number, bytes: Buffer): Promise<void>
  /** Writes pending changes; returns true if anything was written since the window was opened. */
  flush(): Promise<boolean>
}

/**
 * Opens a window on a file that is open for reading and writing and that nothing else changes. The window is at
 * least two bytes wide.
 */
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
        // The last byte may be the first of a pair that spans two windows.
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
