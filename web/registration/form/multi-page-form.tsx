/**
 * The form with one section per page (`form.pages: sections`), ending with a summary page.
 * The last page shows the answers and the bill before anything is sent. The current page is in the
 * URL's hash, so that the browser's Back and Forward buttons work.
 */
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { formatAnswer, findAnswerErrors, formatPerson } from '../../../engine/index.ts'
import { EXTENDED_FORM_MESSAGES, FORM_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { buildBillRows } from '../../ui/payment/bill-rows.tsx'
import { DetailsList } from '../../ui/details-list.tsx'
import { renderHiddenText, renderMessage } from '../../ui/rich-message.tsx'
import type { DetailsRow } from '../../ui/details-list.tsx'
import { NO_SECTION } from './form-context.ts'
import { FORM_ID } from './field-keys.ts'
import { getRootField } from './field-keys.ts'
import { ONE_PAGE } from './form-extensions.ts'
import type { FormExtensions, Paging } from './form-extensions.ts'
import type { PriceView } from '../price/live-price.ts'
import { focusField } from './error-summary.tsx'
import { useIsWide } from '../price/price-summary-and-pay-button.tsx'
import './multi-page-form.css'
import './progress-steps.css'

type Form = Parameters<FormExtensions['Paged']>[0]['form']
/** The last page has no section. */
const LAST_PAGE = 'check'
type Page = number | typeof LAST_PAGE

const { pages: text } = EXTENDED_FORM_MESSAGES

export const MultiPageForm: FormExtensions['Paged'] = (props) =>
  props.event.form.pages === 'sections' ? <FormPages {...props} /> : props.children(ONE_PAGE)

/** Returns the pages for the shown fields. A section without shown fields has no page. */
function listPages({ sections }: PublicEvent, shownFields: ReadonlySet<string>): readonly Page[] {
  const sectionPages = sections.flatMap(({ fields }, index) =>
    fields.some((id) => shownFields.has(id)) ? [index] : [],
  )
  return [...sectionPages, LAST_PAGE]
}

/** Matches the hash of a page. An empty hash means the first page. */
const PAGE_HASH = /^(#(page-\d{1,3}|check))?$/

const getPageHash = (page: Page): string => (page === LAST_PAGE ? page : `page-${page + 1}`)

/** Returns the page for a hash or, if that page is not shown, the next page that is. */
function findPage(name: string, pages: readonly Page[]): Page {
  if (name === LAST_PAGE) return LAST_PAGE
  const sectionIndex = Number(/^page-(\d{1,3})$/.exec(name)?.[1] ?? 1) - 1
  return pages.find((page) => page === LAST_PAGE || page >= sectionIndex) ?? LAST_PAGE
}

function subscribeToHash(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange)
  return () => window.removeEventListener('hashchange', onChange)
}

/** Returns the empty hash that the server renders, because a request contains no hash. */
const getEmptyHash = () => ''

function FormPages({
  event,
  form,
  price,
  attempts,
  children,
}: Parameters<FormExtensions['Paged']>[0]) {
  const currentHash = useSyncExternalStore(
    subscribeToHash,
    () => window.location.hash,
    getEmptyHash,
  )
  const [hash, setHash] = useState(currentHash)
  // Ignore anchors that are not pages, such as the skip link's.
  if (currentHash !== hash && PAGE_HASH.test(currentHash)) setHash(currentHash)
  const isWide = useIsWide() ?? false
  const pages = useMemo(() => listPages(event, form.shownFields), [event, form.shownFields])
  /** The furthest page reached. A hash cannot open a later page, which would skip unanswered fields. */
  const [furthestPage, setFurthestPage] = useState<Page>(
    () => findFirstInvalidPage(event, form) ?? LAST_PAGE,
  )
  const [seenReplacements, setSeenReplacements] = useState(form.replacements)
  if (seenReplacements !== form.replacements) {
    setSeenReplacements(form.replacements)
    setFurthestPage(findFirstInvalidPage(event, form) ?? LAST_PAGE)
  }
  const getPageOrder = (page: Page): number => (page === LAST_PAGE ? Infinity : page)
  const hashPage = findPage(hash.slice(1), pages)
  const page =
    getPageOrder(hashPage) > getPageOrder(furthestPage)
      ? findPage(getPageHash(furthestPage), pages)
      : hashPage
  const pageIndex = pages.indexOf(page)
  const openPage = (targetPage: Page) => {
    if (getPageOrder(targetPage) > getPageOrder(furthestPage)) setFurthestPage(targetPage)
    window.location.hash = getPageHash(targetPage)
  }
  /** Key of the invalid answer to focus after the page changes. Null to focus the heading. */
  const focusTarget = useRef<string | null>(null)
  const previousPage = useRef(page)
  useEffect(() => {
    if (previousPage.current === page) return
    previousPage.current = page
    const key = focusTarget.current
    focusTarget.current = null
    if (key === null) focusPageStart(page)
    else runAfterRendering(() => focusField(key))
  }, [page])
  const showError = (key: string) => {
    const errorPage = findPageOfKey(event, key)
    if (errorPage === page || errorPage === null) return runAfterRendering(() => focusField(key))
    focusTarget.current = key
    openPage(errorPage)
  }
  const handledAttempts = useRef(attempts)
  useEffect(() => {
    // The form was submitted from the last page, but an answer on an earlier page is invalid.
    const [key] = Object.keys(form.errors)
    if (attempts > handledAttempts.current && key !== undefined) showError(key)
    handledAttempts.current = attempts
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [attempts])
  const openNextPage = () => {
    const nextPage = pages[pageIndex + 1]
    if (page === LAST_PAGE || nextPage === undefined) return
    const invalidKey = form.validateAnswers(event.sections[page]?.fields ?? [])
    if (invalidKey === null) openPage(nextPage)
    else showError(invalidKey)
  }
  const paging: Paging = {
    section: page === LAST_PAGE ? NO_SECTION : page,
    isFirst: pageIndex === 0,
    isLast: page === LAST_PAGE,
    openNextPage,
    steps: <PageSteps event={event} pages={pages} at={pageIndex} />,
    contentBelow: (
      <>
        {page === LAST_PAGE && (
          <CheckAnswersPage
            event={event}
            form={form}
            // The wide layout already shows the bill next to the answers.
            price={isWide ? null : price}
            pages={pages}
            openPage={openPage}
          />
        )}
        <div className="page-buttons">
          {pageIndex > 0 && (
            <button
              type="button"
              className="btn line"
              onClick={() => openPage(pages[pageIndex - 1] ?? page)}
            >
              {text.back}
            </button>
          )}
          {page !== LAST_PAGE && isWide && (
            <button type="submit" form={FORM_ID} className="btn">
              {FORM_MESSAGES.summary.next}
            </button>
          )}
        </div>
      </>
    ),
  }
  return children(paging)
}

const findPageOfKey = ({ sections }: PublicEvent, key: string): number | null => {
  const sectionNumber = sections.findIndex(({ fields }) => fields.includes(getRootField(key)))
  return sectionNumber === -1 ? null : sectionNumber
}

/** Returns the page of the first missing or invalid answer. Null if there is none. */
function findFirstInvalidPage(event: PublicEvent, { answers }: Form): number | null {
  const [key] = Object.keys(findAnswerErrors(event, answers))
  return key === undefined ? null : findPageOfKey(event, key)
}

/** Scrolls a new page to its top and focuses its heading for screen readers. */
function focusPageStart(page: Page): void {
  document.getElementById('main')?.scrollIntoView({ block: 'start', behavior: 'instant' })
  document
    .getElementById(page === LAST_PAGE ? CHECK_ANSWERS_ID : `section-${page}`)
    ?.focus({ preventScroll: true })
}

const runAfterRendering = (run: () => void) =>
  requestAnimationFrame(() => requestAnimationFrame(run))

/** Shows the current page among all pages. */
function PageSteps({
  event,
  pages,
  at: currentIndex,
}: {
  readonly event: PublicEvent
  readonly pages: readonly Page[]
  readonly at: number
}) {
  return (
    <ol className="stp full" aria-label={FORM_MESSAGES.sections.steps}>
      {pages.map((page, index) => (
        <li
          key={page}
          {...(index === currentIndex ? { 'aria-current': 'step' as const } : {})}
          className={index < currentIndex ? 'past' : ''}
        >
          <span className="t">
            {renderMessage(text.step, {
              number: String(index + 1),
              count: String(pages.length),
              of: (step) => <span className="of">{step}</span>,
              title: page === LAST_PAGE ? text.checkTitle : event.sections[page]?.title,
            })}
          </span>
        </li>
      ))}
    </ol>
  )
}

const CHECK_ANSWERS_ID = 'check-answers'

/** Shows the answers before submission, with a link to change each section, and the bill. */
function CheckAnswersPage({
  event,
  form,
  price,
  pages,
  openPage,
}: Pick<Parameters<FormExtensions['Paged']>[0], 'event' | 'form'> & {
  readonly price: PriceView | null
  readonly pages: readonly Page[]
  readonly openPage: (page: Page) => void
}) {
  return (
    <div className="paper check">
      <section className="sec" aria-labelledby={CHECK_ANSWERS_ID}>
        <h2 className="disp" id={CHECK_ANSWERS_ID} tabIndex={-1}>
          {text.checkTitle}
        </h2>
        {pages.map((page) => {
          const section = page === LAST_PAGE ? undefined : event.sections[page]
          return (
            section && (
              <div key={page} className="part">
                <h3>{section.title}</h3>
                <button type="button" className="link" onClick={() => openPage(page)}>
                  {renderMessage(text.change, { hidden: renderHiddenText, section: section.title })}
                </button>
                <DetailsList rows={formatAnswers(event, form, section.fields)} />
              </div>
            )
          )
        })}
        {price?.is === 'price' && (
          <div className="part">
            <h3>{event.form.summary.title}</h3>
            <DetailsList
              rows={buildBillRows(event, price.quote, event.form.summary.lines)}
              hasAmounts
            />
          </div>
        )}
      </section>
    </div>
  )
}

function formatAnswers(
  event: PublicEvent,
  { answers, shownFields }: Form,
  fields: readonly string[],
): readonly DetailsRow[] {
  return event.fields.flatMap((field): readonly DetailsRow[] => {
    const { id, label } = field
    const answer = answers[id]
    if (!fields.includes(id) || !shownFields.has(id) || answer === undefined) return []
    if (field.type === 'file') return [{ id, label, value: String(answer) }]
    if (field.type !== 'people' || typeof answer !== 'object')
      return [{ id, label, value: formatAnswer(event, id, answer) }]
    const people = answer.flatMap((entry) =>
      typeof entry === 'string' ? [] : formatPerson(field, entry),
    )
    const value = (
      <ol>
        {people.map((person, index) => (
          <li key={`${index} ${person}`}>{person}</li>
        ))}
      </ol>
    )
    return [{ id, label, value }]
  })
}
