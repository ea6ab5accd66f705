/** The event file being edited: its origin, current text and check result. */
import { useEffect, useRef, useState } from 'react'
import type { EventConfig } from '../../../engine/index.ts'
import type { SharedFiles } from '../../../engine/authoring.ts'
import { hasAll, isRecord } from '../../app/json-readers.ts'
import { findKeptDraft, keepDraft } from '../kept-draft.ts'
import type { CheckResult, CheckRequest } from './check-event-file.ts'

/** A file in the editor. `isSaved`: the text is also on the organiser's computer, or was not changed. */
export type FileDraft = { readonly path: string; readonly text: string; readonly isSaved: boolean }

/** File name without its folder. */
export const fileName = (path: string): string => path.split('/').at(-1) ?? path

/** Pause in typing, in milliseconds, before the file is checked. */
const TYPING_PAUSE_MS = 200
/** Time in milliseconds after which a check is abandoned; the next change starts a new worker. */
const CHECK_MS_MAX = 15_000

const UNCHECKED: CheckState = { checked: null, event: null, stuck: false, failed: false }
export type CheckState = {
  readonly checked: CheckResult | null
  /**
   * The event of the last readable text, shown in the tabs while the current text is not readable.
   */
  readonly event: EventConfig | null
  /** The check was abandoned. */
  readonly stuck: boolean
  /** The browser could not start the checker. */
  readonly failed: boolean
}

/** Checks `text` in a worker whenever typing pauses. Nothing leaves the browser. */
export function useCheck(
  text: string,
  path: string,
  shared: SharedFiles,
  otherRoutes: readonly string[],
  published: string | null = null,
): CheckState {
  const [state, setState] = useState<CheckState>(UNCHECKED)
  const worker = useRef<Worker | null>(null)
  const number = useRef(0)
  useEffect(
    () => () => {
      worker.current?.terminate()
      worker.current = null
    },
    [],
  )
  useEffect(() => {
    const requestNumber = ++number.current
    let timeout: ReturnType<typeof setTimeout> | undefined
    const startCheck = () => {
      const fail = () => {
        clearTimeout(timeout)
        worker.current?.terminate()
        worker.current = null
        setState((previous) => ({ ...previous, failed: true }))
      }
      try {
        worker.current ??= new Worker(new URL('./check-event-file-worker.ts', import.meta.url), {
          type: 'module',
        })
      } catch {
        return fail()
      }
      worker.current.onerror = fail
      worker.current.onmessage = ({ data }: MessageEvent<CheckResult>) => {
        if (data.number !== number.current) return
        clearTimeout(timeout)
        setState((previous) => ({
          ...UNCHECKED,
          checked: data,
          event: data.event ?? previous.event,
        }))
      }
      const request: CheckRequest = {
        number: requestNumber,
        path,
        text,
        shared,
        otherRoutes,
        published,
      }
      worker.current.postMessage(request)
      timeout = setTimeout(() => {
        worker.current?.terminate()
        worker.current = null
        setState((previous) => ({ ...previous, stuck: true }))
      }, CHECK_MS_MAX)
    }
    const pauseTimer = setTimeout(startCheck, requestNumber === 1 ? 0 : TYPING_PAUSE_MS)
    return () => {
      clearTimeout(pauseTimer)
      clearTimeout(timeout)
    }
  }, [text, path, shared, otherRoutes, published])
  return state
}

const STORAGE_NAME = 'event file being edited'

/** A file that this browser keeps. `savedAt`: ISO 8601; null if unknown. */
export type KeptFile = {
  readonly file: FileDraft
  readonly savedAt: string | null
  /** This tab wrote it: a reload opens it again without asking. */
  readonly isOfTab: boolean
}

/** The draft of this tab, otherwise the last one of this browser. */
export function loadFileDraft(): KeptFile | null {
  const kept = findKeptDraft(STORAGE_NAME)
  if (kept === null || !isRecord(kept.value) || !hasAll(kept.value, 'string', 'path', 'text'))
    return null
  const { path, text, isSaved } = kept.value
  return {
    file: { path: String(path), text: String(text), isSaved: isSaved === true },
    savedAt: kept.savedAt,
    isOfTab: kept.isOfTab,
  }
}

export function saveFileDraft(draft: FileDraft | null): void {
  keepDraft(STORAGE_NAME, draft)
}
