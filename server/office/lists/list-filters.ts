/**
 * Parses a list's query string.
 * The resulting query determines the rows, the count, the export and the sentence that describes the filters.
 * Parameters are the filters in the event file. An empty parameter counts as unset.
 */
import {
  ENDED_STATES,
  err,
  formatCount,
  formatDay,
  formatDays,
  formatDayShort,
  isDay,
  isEnded,
  isWorkQueueId,
  MAX_LIST_ROWS,
  ok,
  SALES_FILTER,
  SORT_NAMES,
  STATE_LABELS,
  REGISTRATION_STATES,
  WORK_QUEUE,
  WORK_QUEUE_IDS,
  getPeriodLabel,
} from '../../../engine/index.ts'
import type {
  AdminList,
  EventConfig,
  Filter,
  Instant,
  PaymentStatus,
  Result,
} from '../../../engine/index.ts'
import type { ListQuery } from '../../storage/index.ts'

/** Longer than any name or address; the search is an index look-up. */
const MAX_SEARCH_CHARACTERS = 100

const STATUSES: readonly PaymentStatus[] = ['pending', 'success', 'failed', 'refunded']

type QueryDraft = { -readonly [K in keyof ListQuery]: ListQuery[K] } & {
  answers: Record<string, string | boolean>
  chosen: Record<string, string>
  people: Record<string, boolean>
}
/** A sentence about the invalid parameter. */
export type QueryError = string

export function readListQuery(
  event: EventConfig,
  list: AdminList,
  query: URLSearchParams,
  at: Instant,
): Result<ListQuery, QueryError> {
  const draft: QueryDraft = { eventId: event.id, answers: {}, chosen: {}, people: {} }
  for (const filter of list.filters) {
    const value = (query.get(filter.sentAs) ?? '').trim()
    if (value === '') continue
    const problem = setFilter(event, filter, value, draft)
    if (problem !== null) return err(problem)
  }
  const problem = setCommonFilters(event, list, query, at, draft)
  if (problem !== null) return err(problem)
  if (draft.dateFrom !== undefined && draft.dateTo !== undefined && draft.dateFrom > draft.dateTo) {
    return err(
      `“Registered to” (${formatDayShort(draft.dateTo)}) is before “Registered from” (${formatDayShort(draft.dateFrom)}).`,
    )
  }
  return ok(draft)
}

/** Applies the filters that every list has in addition to the filters in its event file. */
function setCommonFilters(
  event: EventConfig,
  { filters }: AdminList,
  query: URLSearchParams,
  at: Instant,
  draft: QueryDraft,
): QueryError | null {
  // If the event file has a filter with the same name, the file's filter takes precedence.
  const readParam = (name: string): string =>
    filters.some(({ sentAs }) => sentAs === name) ? '' : (query.get(name) ?? '').trim()
  const [state, waiting, sort] = ['in_state', 'waiting', 'sort'].map(readParam)
  if (state !== undefined && state !== '') {
    const knownState = REGISTRATION_STATES.find((candidate) => candidate === state)
    if (knownState === undefined)
      return buildInvalidOptionMessage('in_state', REGISTRATION_STATES, state)
    if (draft.state !== undefined && draft.state !== knownState)
      return `A registration cannot be both ${STATE_LABELS[draft.state]} and ${STATE_LABELS[knownState]}.`
    draft.state = knownState
  }
  if (waiting !== undefined && waiting !== '') {
    if (!isWorkQueueId(waiting))
      return buildInvalidOptionMessage('waiting', WORK_QUEUE_IDS, waiting)
    draft.waiting = { is: waiting, at }
  }
  if (sort !== undefined && sort !== '') {
    const sortName = SORT_NAMES.find((candidate) => candidate === sort.replace(/^-/, ''))
    if (sortName === undefined) return buildInvalidOptionMessage('sort', SORT_NAMES, sort)
    const order = event.categories.map(({ id }) => id)
    draft.sort = { by: sortName, isDescending: sort.startsWith('-'), order }
  }
  return null
}

const buildInvalidOptionMessage = (
  name: string,
  knownValues: readonly string[],
  value: string,
): QueryError => `“${name}” must be one of ${knownValues.join(', ')}, not “${value}”.`

function setFilter(
  event: EventConfig,
  filter: Filter,
  value: string,
  draft: QueryDraft,
): QueryError | null {
  switch (filter.show) {
    case 'search':
      if (value.length > MAX_SEARCH_CHARACTERS)
        return `Search for at most ${MAX_SEARCH_CHARACTERS} characters.`
      draft.search = value
      return null
    case 'date_from':
    case 'date_to':
      if (!isDay(value))
        return `“${filter.sentAs}” must be a date such as 2026-01-31, not “${value}”.`
      draft[filter.show === 'date_from' ? 'dateFrom' : 'dateTo'] = value
      return null
    case 'payment_status': {
      if (isEnded(value)) {
        draft.state = value
        return null
      }
      const status = STATUSES.find((candidate) => candidate === value)
      if (status === undefined)
        return `“${filter.sentAs}” must be one of ${[...STATUSES, ...ENDED_STATES].join(', ')}, not “${value}”.`
      draft.paymentStatus = status
      return null
    }
    case 'category':
    case 'period':
      draft[filter.show] = value
      return null
    case SALES_FILTER: {
      if (!(filter.options ?? []).some(({ id }) => id === value))
        return `“${filter.sentAs}” has no option “${value}”.`
      const [item = '', option = null] = value.split('.')
      draft.sold = { item, option }
      return null
    }
    default:
      return setAnswer(event, filter, value, draft)
  }
}

function setAnswer(
  event: EventConfig,
  filter: Filter,
  value: string,
  draft: QueryDraft,
): QueryError | null {
  const field = event.fields.find(({ id }) => id === filter.show)
  if (filter.kind === 'yes-no' || field?.type === 'yes-no') {
    if (value !== 'true' && value !== 'false')
      return `“${filter.sentAs}” must be true or false, not “${value}”.`
    if (field?.type === 'people') draft.people[filter.show] = value === 'true'
    else draft.answers[filter.show] = value === 'true'
    return null
  }
  const options = filter.options ?? field?.options
  if (options !== undefined && !options.some(({ id }) => id === value)) {
    return `“${filter.sentAs}” has no option “${value}”. Options: ${options.map(({ id }) => id).join(', ')}.`
  }
  if (field?.type === 'many') {
    draft.chosen[filter.show] = value
    return null
  }
  // The field that determines the category: the store has a separate column for it.
  if (event.categoryChoice.by === 'field' && event.categoryChoice.field === filter.show)
    draft.category = value
  else draft.answers[filter.show] = value
  return null
}

/**
 * Parses the page number, which starts at 1, and the rows per page, which clients can choose only if the event file
 * offers several sizes.
 */
export function readPage(
  list: AdminList,
  query: URLSearchParams,
): Result<{ page: number; pageSize: number }, QueryError> {
  const page = parseWhole(query.get('page'), 1)
  if (page === null) return err('“page” must be a whole number from 1.')
  const pageSize =
    list.pageSizes.length === 0 ? list.pageSize : parseWhole(query.get('page_size'), list.pageSize)
  if (pageSize === null || pageSize > MAX_LIST_ROWS)
    return err(`“page_size” must be a whole number from 1 to ${MAX_LIST_ROWS}.`)
  return ok({ page, pageSize })
}

function parseWhole(text: string | null, fallback: number): number | null {
  if (text === null || text === '') return fallback
  return /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : null
}

const STATUS_LABELS = {
  success: 'paid ',
  pending: 'pending ',
  failed: 'failed ',
  refunded: 'refunded ',
} as const

/**
 * Describes the filters: "41 paid registrations of AFPI Member – Post Graduate, matching “nair”, 1–10 October 2025".
 */
export function describeQuery(
  event: EventConfig,
  list: AdminList,
  query: ListQuery,
  count: number,
  isCapped: boolean,
  shouldHideSearch = false,
): string {
  const number = count === 0 ? 'No' : `${isCapped ? 'More than ' : ''}${formatCount(count)}`
  const endedLabel = isEnded(query.state) ? `${query.state} ` : ''
  const statusLabel = query.paymentStatus === undefined ? '' : STATUS_LABELS[query.paymentStatus]
  const parts = [`${number} ${endedLabel}${statusLabel}registration${count === 1 ? '' : 's'}`]
  if (query.category !== undefined)
    parts[0] += ` of ${event.categories.find(({ id }) => id === query.category)?.label ?? query.category}`
  if (query.period !== undefined)
    parts.push(getPeriodLabel(event.fees, query.period, query.category ?? null) ?? query.period)
  for (const [id, value] of Object.entries({
    ...query.answers,
    ...query.chosen,
    ...query.people,
  })) {
    const label = list.filters.find(({ show }) => show === id)?.label ?? id
    const options = event.fields.find((field) => field.id === id)?.options
    const valueText =
      typeof value === 'boolean'
        ? value
          ? 'yes'
          : 'no'
        : (options?.find((option) => option.id === value)?.label ?? value)
    parts.push(`${label}: ${valueText}`)
  }
  if (query.sold !== undefined) {
    const { item, option } = query.sold
    const id = option === null ? item : `${item}.${option}`
    const options = list.filters.find(({ show }) => show === SALES_FILTER)?.options ?? []
    parts.push(`with ${options.find((candidate) => candidate.id === id)?.label ?? id}`)
  }
  if (query.state !== undefined && endedLabel === '') parts[0] += ` ${STATE_LABELS[query.state]}`
  if (query.waiting !== undefined) parts[0] += ` ${WORK_QUEUE[query.waiting.is].inSentence}`
  if (query.search !== undefined) {
    if (shouldHideSearch) parts.push('matching a search')
    else if (count === 0) parts[0] += ` match “${query.search}”`
    else parts.push(`matching “${query.search}”`)
  }
  if (query.dateFrom !== undefined && query.dateTo !== undefined)
    parts.push(
      query.dateFrom === query.dateTo
        ? `on ${formatDay(query.dateFrom)}`
        : formatDays(query.dateFrom, query.dateTo),
    )
  else if (query.dateFrom !== undefined) parts.push(`since ${formatDay(query.dateFrom)}`)
  else if (query.dateTo !== undefined) parts.push(`until ${formatDay(query.dateTo)}`)
  const [firstPart, ...otherParts] = parts
  return count === 0 && otherParts.length > 0
    ? `${firstPart} (${otherParts.join(', ')})`
    : parts.join(', ')
}
