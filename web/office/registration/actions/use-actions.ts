/** Loads the actions of a registration, and reports changes that others make in the meantime. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ActionsResponse, SessionResponse } from '../../../../engine/api.ts'
import { callApi } from '../../office-api-and-urls.ts'
import { readActions } from './action-api-responses.ts'

export const buildActionsUrl = (regNo: string): string =>
  `/api/admin/registrations/${encodeURIComponent(regNo)}/acts/`

/** How often an open page checks whether the registration has changed. */
const CHECK_INTERVAL_MS = 15_000
/** An idle page stops polling: each call renews the session, and the session in an unattended browser must end. */
const IDLE_AFTER_MS = 10 * 60_000

/** Loads state, balance, allowed actions and history, and reloads them every few seconds. */
export function useActions(regNo: string) {
  const isActive = useActiveUser()
  return useQuery({
    queryKey: ['acts', regNo],
    queryFn: ({ signal }) => callApi(buildActionsUrl(regNo), readActions, { signal }),
    refetchInterval: isActive ? CHECK_INTERVAL_MS : false,
  })
}

/** Returns whether the user pressed a key or a pointer in the last few minutes. */
function useActiveUser(): boolean {
  const [isActive, setActive] = useState(true)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const restartTimer = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => setActive(false), IDLE_AFTER_MS)
      setActive(true)
    }
    restartTimer()
    addEventListener('pointerdown', restartTimer)
    addEventListener('keydown', restartTimer)
    return () => {
      clearTimeout(timer)
      removeEventListener('pointerdown', restartTimer)
      removeEventListener('keydown', restartTimer)
    }
  }, [])
  return isActive
}

/**
 * Describes in a sentence the changes that others made while the page was open. Returns null if nothing changed. Calls
 * `onChange` after each change.
 */
export function useChangesByOthers(
  data: ActionsResponse | undefined,
  onChange: () => void,
): string | null {
  const username = useQueryClient().getQueryData<SessionResponse>(['session'])?.username
  const previous = useRef<ActionsResponse | null>(null)
  const [text, setText] = useState<string | null>(null)
  useEffect(() => {
    const before = previous.current
    if (data === undefined || data === before) return
    previous.current = data
    if (before === null) return
    const change = describeChange(before, data, username)
    if (change === undefined) return
    setText(change)
    if (change !== null) onChange()
  }, [data, username, onChange])
  return text
}

/**
 * Describes the difference between two responses of the server. Returns null if the user made the change, and
 * undefined if there is no difference.
 */
export function describeChange(
  before: ActionsResponse,
  after: ActionsResponse,
  username: string | undefined,
): string | null | undefined {
  const addedEntries = after.trail.slice(0, Math.max(0, after.trail.length - before.trail.length))
  const otherUsersEntries = addedEntries.filter(({ who }) => who !== username)
  if (otherUsersEntries.length > 0)
    return otherUsersEntries.map(({ who, text }) => `${who}: ${text}`).join(' · ')
  if (addedEntries.length > 0) return null
  const serialiseFigures = ({ state, kept, to_pay, pay_back, reviews }: ActionsResponse): string =>
    JSON.stringify([state, kept, to_pay, pay_back, reviews.map(({ version }) => version)])
  if (serialiseFigures(before) !== serialiseFigures(after))
    return 'A payment or a refund has changed.'
  return JSON.stringify(before.fields) === JSON.stringify(after.fields)
    ? undefined
    : 'The answers have changed.'
}
