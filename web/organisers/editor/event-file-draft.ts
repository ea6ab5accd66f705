/** The event file being edited: its origin, current text and check result. */
import { useEffect, useRef, useState } from 'react'
import type { EventConfig } from '../../../engine/index.ts'
import type { SharedFiles } from '../../../engine/authoring.ts'
import { holdsAll, isRecord } from '../../app/json-readers.ts'
import { readStored, removeStored, writeStored } from '../../app/browser-storage.ts'
import type { Checked, Question } from './check-event-file.ts'

/** A text as opened. `edition` counts openings, so that the editor is created anew for each. */
export type Opened = { readonly path: string; readonly text: string; readonly edition: number }

/** File name without its folder. */
export const nameOf = (path: string): string => path.split('/').at(-1) ?? path

/** Pause in typing, in milliseconds, before the file is checked. */
const REST_MS = 200
/** Time in milliseconds after which a check is abandoned; the next change starts a new worker. */
const PATIENCE_MS = 15_000

const UNCHECKED: Checking = { checked: null, event: null, stuck: false, failed: false }
export type Checking = {
  readonly checked: Checked | null
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
export function useChecking(
  text: string,
  path: string,
  shared: SharedFiles,
  otherRoutes: readonly string[],
): Checking {
  const [state, setState] = useState<Checking>(UNCHECKED)
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
    const mine = ++number.current
    let giveUp: ReturnType<typeof setTimeout> | undefined
    const ask = () => {
      const fail = () => {
        clearTimeout(giveUp)
        worker.current?.terminate()
        worker.current = null
        setState((old) => ({ ...old, failed: true }))
      }
      try {
        worker.current ??= new Worker(new URL('./check-event-file-worker.ts', import.meta.url), {
          type: 'module',
        })
      } catch {
        return fail()
      }
      worker.current.onerror = fail
      worker.current.onmessage = ({ data }: MessageEvent<Checked>) => {
        if (data.number !== number.current) return
        clearTimeout(giveUp)
        setState((old) => ({ ...UNCHECKED, checked: data, event: data.event ?? old.event }))
      }
      const question: Question = { number: mine, path, text, shared, otherRoutes }
      worker.current.postMessage(question)
      giveUp = setTimeout(() => {
        worker.current?.terminate()
        worker.current = null
        setState((old) => ({ ...old, stuck: true }))
      }, PATIENCE_MS)
    }
    const rest = setTimeout(ask, mine === 1 ? 0 : REST_MS)
    return () => {
      clearTimeout(rest)
      clearTimeout(giveUp)
    }
  }, [text, path, shared, otherRoutes])
  return state
}

const KEPT_AS = 'event file being edited'

/** The draft of this tab; deleted when the tab is closed. */
export function recallDraft(): { readonly path: string; readonly text: string } | null {
  const kept = readStored(KEPT_AS)
  return isRecord(kept) && holdsAll(kept, 'string', 'path', 'text')
    ? { path: String(kept['path']), text: String(kept['text']) }
    : null
}

export function keepDraft(draft: { readonly path: string; readonly text: string } | null): void {
  if (draft === null) removeStored(KEPT_AS)
  else writeStored(KEPT_AS, draft)
}
