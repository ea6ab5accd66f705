/** Results of the search across all events, for the search field and the search page. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { dayOf, formatDayShort, isPaymentStatus, readInstant } from '../../../engine/index.ts'
import type { SearchResponse, WireSearchResult } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isAmount, isRecord, readArray } from '../../app/json-readers.ts'
import { callApi, buildRegistrationUrl } from '../office-api-and-urls.ts'

const readResult: Reader<unknown> = (result) =>
  isRecord(result) &&
  hasAll(result, 'string', 'reg_no', 'name', 'phone', 'city', 'payment_status_display') &&
  typeof result['in_review'] === 'boolean' &&
  isAmount(result['due']) &&
  isPaymentStatus(result['payment_status']) &&
  isRecord(result['event'])
    ? result
    : null

const readSearchResults: Reader<SearchResponse> = (body) =>
  isRecord(body) &&
  typeof body['more'] === 'boolean' &&
  readArray(body['found'], readResult) !== null &&
  readArray(body['similar'], readResult) !== null &&
  readArray(body['events'], (title) => (typeof title === 'string' ? title : null)) !== null
    ? (body as SearchResponse)
    : null

/** The search starts at two letters, because a single letter matches nearly every registration. */
const MIN_LETTERS = 2
/**
 * The pause in typing, in milliseconds, before a search. The audit log records every search, so the pause keeps their
 * number low.
 */
const DEBOUNCE_MS = 250

/** Searches while the user types. Keeps the previous results until the next ones have arrived. */
export function useSearch(typedText: string) {
  const text = useDebouncedText(typedText.trim())
  const query = useQuery({
    queryKey: ['find', text],
    queryFn: ({ signal }) =>
      callApi(`/admin/find/?${new URLSearchParams({ q: text }).toString()}`, readSearchResults, {
        signal,
      }),
    enabled: text.length >= MIN_LETTERS,
    placeholderData: keepPreviousData,
  })
  const isCurrent = text === typedText.trim() && !query.isPlaceholderData && !query.isFetching
  return { query, text, isCurrent }
}

function useDebouncedText(text: string): string {
  const [pausedText, setPausedText] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPausedText(text), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return pausedText
}

export const buildResultUrl = ({ event, reg_no }: WireSearchResult): string =>
  buildRegistrationUrl(event, reg_no)

/** Describes a payment: “Paid on 21 Jan 2026 by UPI”. Returns null for a free or unpaid registration, or if the date is unknown. */
export function describePayment({ paid_at, paid_by, total }: WireSearchResult): string | null {
  const paidAt = paid_at === null ? null : readInstant(paid_at)
  if (paidAt === null || total === 0) return null
  return `Paid on ${formatDayShort(dayOf(paidAt))}${paid_by === '' ? '' : ` ${paid_by}`}`
}

/** Highlights the words of a search in a string, at the beginning of words or within a number. */
export function Highlighted({ text, search }: { readonly text: string; readonly search: string }) {
  const allWords = search.trim().split(/\s+/)
  const words = allWords
    // Short words, such as titles and initials, would match the start of many other words.
    .filter((word) => word.length > MIN_LETTERS || (allWords.length === 1 && word !== ''))
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  if (words.length === 0) return text
  const parts = text.split(new RegExp(`((?<![\\p{L}])(?:${words.join('|')}))`, 'giu'))
  // Each part is an element, so that a tool can measure its contrast on its own background.
  return parts.map((part, index) =>
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part && <span key={index}>{part}</span>,
  )
}
