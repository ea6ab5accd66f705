/** The event file being edited: its origin, current text and check result. */
import { useEffect, useRef, useState } from 'react'
import type { EventConfig } from '../../../engine/index.ts'
import type { SharedFiles } from '../../../engine/authoring.ts'
import { saveBlob } from '../../app/api-client.ts'
import { hasAll, isRecord } from '../../app/json-readers.ts'
import { loadStoredDraft, storeDraft } from '../stored-draft.ts'
import type { CheckResult, CheckRequest } from './check-event-file.ts'

/** A file in the editor. `isSaved` is true if the organiser has saved the text or has not changed it. */
export type FileDraft = {
  readonly path: string
  readonly text: string
  readonly isSaved: boolean
  /** The text created from the answers. Absent if the file was opened or copied. */
  readonly createdText?: string
  /** The answers from which that text was created (`serialiseAnswers`). */
  readonly createdFrom?: string
}

/** Returns true if the organiser has edited a file since it was created from the answers. */
export const isEditedByHand = ({ text, createdText }: FileDraft): boolean =>
  createdText !== undefined && text !== createdText

/** Returns the file name without its folder. */
export const getFileName = (path: string): string => path.split('/').at(-1) ?? path

/** Pause in typing, in milliseconds, before the file is checked. */
const TYPING_PAUSE_MS = 200
/** Time in milliseconds after which a check is abandoned; the next change starts a new worker. */
const MAX_CHECK_MS = 15_000

const INITIAL_CHECK_STATE: CheckState = {
  result: null,
  event: null,
  isTimedOut: false,
  hasFailed: false,
}
export type CheckState = {
  readonly result: CheckResult | null
  /** The event in the last text that could be read. The tabs show it while the current text cannot be read. */
  readonly event: EventConfig | null
  /** Whether the check exceeded its time limit. */
  readonly isTimedOut: boolean
  /** Whether the browser failed to start the checker. */
  readonly hasFailed: boolean
}

/** Checks `text` in a worker whenever typing pauses. Sends nothing to the server. */
export function useCheck(
  text: string,
  path: string,
  shared: SharedFiles,
  otherRoutes: readonly string[],
  published: string | null = null,
): CheckState {
  const [state, setState] = useState<CheckState>(INITIAL_CHECK_STATE)
  const worker = useRef<Worker | null>(null)
  const lastRequest = useRef(0)
  useEffect(
    () => () => {
      worker.current?.terminate()
      worker.current = null
    },
    [],
  )
  useEffect(() => {
    const requestNumber = ++lastRequest.current
    let timeout: ReturnType<typeof setTimeout> | undefined
    const startCheck = () => {
      const reportFailure = () => {
        clearTimeout(timeout)
        worker.current?.terminate()
        worker.current = null
        setState((previous) => ({ ...previous, hasFailed: true }))
      }
      try {
        worker.current ??= new Worker(new URL('./check-event-file-worker.ts', import.meta.url), {
          type: 'module',
        })
      } catch {
        return reportFailure()
      }
      worker.current.onerror = reportFailure
      worker.current.onmessage = ({ data }: MessageEvent<CheckResult>) => {
        if (data.number !== lastRequest.current) return
        clearTimeout(timeout)
        setState((previous) => ({
          ...INITIAL_CHECK_STATE,
          result: data,
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
        setState((previous) => ({ ...previous, isTimedOut: true }))
      }, MAX_CHECK_MS)
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

/** A file stored in this browser. `savedAt` is an ISO 8601 time, or null if unknown. */
export type StoredFileDraft = {
  readonly file: FileDraft
  readonly savedAt: string | null
  /** Whether this tab stored the file. A reload then opens it without a question. */
  readonly isFromThisTab: boolean
}

/** Returns this tab's draft, or else the latest draft stored in the browser. */
export function loadFileDraft(): StoredFileDraft | null {
  const stored = loadStoredDraft(STORAGE_NAME)
  if (stored === null || !isRecord(stored.value) || !hasAll(stored.value, 'string', 'path', 'text'))
    return null
  const { path, text, isSaved, createdText, createdFrom } = stored.value
  return {
    file: {
      path: String(path),
      text: String(text),
      isSaved: isSaved === true,
      ...(typeof createdText === 'string' ? { createdText } : {}),
      ...(typeof createdFrom === 'string' ? { createdFrom } : {}),
    },
    savedAt: stored.savedAt,
    isFromThisTab: stored.isFromThisTab,
  }
}

/** Saves the text on the organiser's computer, as a download. */
export function downloadFile({ path, text }: Pick<FileDraft, 'path' | 'text'>): void {
  saveBlob(new Blob([text], { type: 'text/yaml;charset=utf-8' }), getFileName(path))
}

export function saveFileDraft(draft: FileDraft | null): void {
  storeDraft(STORAGE_NAME, draft)
}
