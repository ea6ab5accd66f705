/** Reads and changes a file in place through a window of fixed size, which limits memory use. */
import type { FileHandle } from 'node:fs/promises'
import { assert } from '../../../engine/index.ts'

export type FileWindow = {
  /** The length of the file. */
  readonly bytes: number
  /**
   * Returns the same bytes as `read` if the window already contains all of them, otherwise null. A file that consists
   * only of four-byte headers would otherwise need one asynchronous call per header. Valid until the window is used
   * again.
   */
  peek(at: number, length: number): Buffer | null
  /** Reads `length` bytes, or fewer at the end of the file. */
  read(at: number, length: number): Promise<Buffer>
  /**
   * Returns the first position from `at` on where `first` is followed by a matching byte; the length of the file if
   * there is none.
   */
  findPair(at: number, first: number, isMatch: (second: number) => boolean): Promise<number>
  /** Visits all chunks from `at` up to `end` (exclusive), in order. */
  forEachChunk(at: number, end: number, use: (chunk: Buffer) => void): Promise<void>
  /** Visits the chunks in the same way, and saves the changes that `use` makes to them. */
  changeChunks(at: number, end: number, use: (chunk: Buffer) => void): Promise<void>
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
  let hasUnsavedChanges = false
  let wasWritten = false

  const save = async (): Promise<void> => {
    if (!hasUnsavedChanges) return
    for (let done = 0; done < view.length;)
      done += (await file.write(view, done, view.length - done, start + done)).bytesWritten
    hasUnsavedChanges = false
  }
  const moveTo = async (at: number): Promise<void> => {
    await save()
    start = at
    view = memory.subarray(0, Math.min(windowBytes, bytes - at))
    for (let done = 0; done < view.length;) {
      const { bytesRead } = await file.read(view, done, view.length - done, at + done)
      assert(bytesRead > 0, 'a file is shorter than when it was received')
      done += bytesRead
    }
  }
  const isInView = (at: number, end: number): boolean => at >= start && end <= start + view.length
  const visitChunks: FileWindow['forEachChunk'] = async (from, to, use) => {
    const end = Math.min(to, bytes)
    for (let at = from; at < end;) {
      if (!isInView(at, at + 1)) await moveTo(at)
      const chunk = view.subarray(at - start, end - start)
      use(chunk)
      at += chunk.length
    }
  }
  const changeChunks: FileWindow['changeChunks'] = (at, end, use) =>
    visitChunks(at, end, (chunk) => {
      use(chunk)
      hasUnsavedChanges = true
      wasWritten = true
    })
  return {
    bytes,
    peek: (at, length) =>
      isInView(at, at + length) ? view.subarray(at - start, at - start + length) : null,
    read: async (at, length) => {
      const content = Buffer.alloc(Math.max(0, Math.min(length, bytes - at)))
      let done = 0
      await visitChunks(at, at + length, (chunk) => {
        done += chunk.copy(content, done)
      })
      return content
    },
    findPair: async (from, first, isMatch) => {
      for (let at = from; at + 2 <= bytes;) {
        if (!isInView(at, at + 2)) await moveTo(at)
        for (let index = at - start; index + 1 < view.length; index += 1)
          if (view[index] === first && isMatch(view[index + 1] ?? 0)) return start + index
        // The last byte of a window may be the first of a pair that spans two windows.
        at = start + view.length - 1
      }
      return bytes
    },
    forEachChunk: visitChunks,
    changeChunks,
    write: async (at, data) => {
      let done = 0
      await changeChunks(at, at + data.length, (chunk) => {
        done += data.copy(chunk, 0, done)
      })
    },
    flush: async () => {
      await save()
      return wasWritten
    },
  }
}
