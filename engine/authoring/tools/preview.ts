/**
 * Renders an event as static pages: the form for each example, result pages, receipt and email.
 *
 * The pages contain no scripts and no external addresses, so that they can be sent by email and opened anywhere.
 */
import type { EventConfig, ExampleCase, Field } from '../../event/config.ts'
import type { Answer, Answers } from '../../event/answer-types.ts'
import type { OrderId, RegNo } from '../../event/registration-number.ts'
import { findAnswerErrors, normalise, findVisibleFields } from '../../answers/normalize-answers.ts'
import { extractContext } from '../../rules/pricing-context.ts'
import { escapeHtml } from '../../lib/html.ts'
import { formatLines } from '../../pricing/bill-lines.ts'
import { getPaidTaxText } from '../../pricing/price-list-tax.ts'
import { formatPrice, toMajorUnits, type Amount, type Currency } from '../../lib/money.ts'
import { getCurrency } from '../../rules/category.ts'
import type { Split } from '../../pricing/line-tax-and-rounding.ts'
import { computeThemeColors } from '../../lib/theme-colors.ts'
import { checkRegistrationOpen, withDeskDays, findPeriodOn } from '../../pricing/price-periods.ts'
import { quote, buildPriceTables, type Quote } from '../../pricing/quote.ts'
import {
  buildConfirmationEmail,
  buildReceiptFile,
  buildResultRows,
  getResultValues,
} from '../../messages/build-result-pages-and-confirmation.ts'
import { getOwn } from '../../lib/result.ts'
import {
  formatAnswer,
  getButtonText,
  fillPlaceholders,
  getLabel,
} from '../../event/placeholders-and-answer-texts.ts'
import { type RegistrationView } from '../../messages/placeholder-values.ts'
import { dayOf, formatDays, formatInstant, type Day, type Instant } from '../../lib/time.ts'
import { withStatedMethod } from '../../pricing/method-prices.ts'
import type { Period } from '../../event/pricing-types.ts'
import { hasItemsOrTaxes } from './explain-bill-lines.ts'
import { formatItemPriceToPay } from './item-tables.ts'
import { buildPriceList, describeDays } from './price-list.ts'

type PreviewPage = { /** File name. */ readonly name: string; readonly html: string }
type FormCase = Extract<ExampleCase, { readonly answers: object }>

/** Returns `index.html` and one page for each example that fills in the form. */
export function renderPreview(event: EventConfig): readonly PreviewPage[] {
  const cases = event.examples.filter((example): example is FormCase => 'answers' in example)
  const pages = cases.map((example, index) => ({ name: `example-${index + 1}.html`, example }))
  const listItems = pages
    .map(({ name, example }) => `<li><a href="${name}">${escapeHtml(example.name)}</a></li>`)
    .join('\n')
  const index = renderPage(
    event,
    event.title,
    `<h2>Examples</h2>\n<ol>\n${listItems}\n</ol>\n<h2>Price list</h2>\n${renderPriceList(event)}${renderClosedNotice(event)}`,
  )
  return [
    { name: 'index.html', html: index },
    ...pages.map(({ name, example }) => ({
      name,
      html: renderPage(event, example.name, renderExample(event, example)),
    })),
  ]
}

function renderExample(event: EventConfig, example: FormCase): string {
  const context = extractContext(event, example.answers as Answers)
  const normalised = normalise(event, example.answers, context)
  const answers = withStatedMethod(event, normalised.answers, example.answers)
  const errors = findAnswerErrors(event, example.answers, context)
  const quoteResult = quote(withDeskDays(event, dayOf(example.on)), answers, example.on)
  const view = buildSampleView(event, example, answers, quoteResult.ok ? quoteResult.value : null)
  const opening = checkRegistrationOpen(event, dayOf(example.on))
  return [
    `<p class="when">${escapeHtml(formatInstant(example.on))} in India</p>`,
    ...(opening.open ? [] : [`<p class="closed">${escapeHtml(opening.text)}</p>`]),
    `<h2>The form</h2>\n${renderForm(event, example, answers, errors)}`,
    `<h2>${escapeHtml(event.form.summary.title)}</h2>\n${renderSummary(event, view, quoteResult.ok ? null : quoteResult.error.code)}`,
    ...(Object.keys(errors).length > 0
      ? ['<p class="note">These answers cannot be submitted, so there is no result.</p>']
      : [
          `<h2>After payment</h2>\n${renderResult(event, 'success', view, example.on)}`,
          `<h2>After a failed payment</h2>\n${renderResult(event, 'failed', view, example.on)}`,
          ...renderDocuments(event, view),
        ]),
  ].join('\n')
}

/** Returns a registration with these answers. Its number is an obvious placeholder. */
function buildSampleView(
  event: EventConfig,
  example: FormCase,
  answers: Answers,
  price: (Split & Pick<Quote, 'category' | 'period' | 'currency' | 'lines'>) | null,
): RegistrationView {
  const regNo = `${event.orderId.prefix}${'0'.repeat(event.orderId.digits)}` as RegNo & OrderId
  return {
    regNo,
    answers,
    category: price?.category ?? null,
    currency: price?.currency ?? event.currency,
    period: price?.period ?? findPeriodOn(event.fees, dayOf(example.on))?.id ?? null,
    base: price?.base ?? null,
    gst: price?.gst ?? null,
    total: price?.total ?? null,
    lines: price?.lines ?? [],
    paymentStatus: 'success',
    inReview: false,
    paymentId: 'PREVIEW',
    paidAt: example.on,
    createdAt: example.on,
    payments: [{ orderId: regNo, status: 'success' }],
  }
}

function renderForm(
  event: EventConfig,
  example: FormCase,
  answers: Answers,
  errors: Readonly<Record<string, string>>,
): string {
  const visibleFields = findVisibleFields(event, example.answers)
  return event.sections
    .map((section, index) => {
      const fields = event.fields.filter(
        (field) => field.section === index && visibleFields.has(field.id),
      )
      return fields.length === 0
        ? ''
        : `<section><h3>${escapeHtml(section.title)}</h3>\n<dl>\n${fields.map((field) => renderField(event, field, getOwn(answers, field.id), getOwn(errors, field.id))).join('\n')}\n</dl></section>`
    })
    .join('\n')
}

function renderField(
  event: EventConfig,
  field: Field,
  answer: Answer | undefined,
  error: string | undefined,
): string {
  const value =
    answer === undefined
      ? '<span class="empty">not answered</span>'
      : escapeHtml(formatAnswer(event, field.id, answer))
  const hint = field.hint === undefined ? '' : `<span class="hint">${escapeHtml(field.hint)}</span>`
  const problem = error === undefined ? '' : `<span class="error">${escapeHtml(error)}</span>`
  return `<dt>${escapeHtml(field.label)}${field.required === undefined ? '' : ' <span class="star">*</span>'}</dt><dd>${value}${hint}${problem}</dd>`
}

function renderSummary(event: EventConfig, view: RegistrationView, refusal: string | null): string {
  if (refusal !== null) return `<p>${escapeHtml(event.form.summary.empty)}</p>`
  const values = getResultValues(
    { ...event, results: { ...event.results, amounts: 'stored' } },
    view,
    {},
  )
  const rows = event.form.summary.lines.map(
    (line) =>
      `<dt>${escapeHtml(getLabel(event, line, view.lines))}</dt><dd>${escapeHtml(getOwn(values, line) ?? event.texts.missingValue)}</dd>`,
  )
  const lines = hasItemsOrTaxes(event)
    ? `<pre>${escapeHtml(formatLines(view.lines, view.currency))}</pre>\n`
    : ''
  return `${lines}<dl>\n${rows.join('\n')}\n</dl>\n<p class="button">${escapeHtml(getButtonText(event, view.total))}</p>`
}

function renderResult(
  event: EventConfig,
  outcome: 'success' | 'failed',
  view: RegistrationView,
  at: Instant,
): string {
  const { title, intro, notes, notesTitle, reasons, buttons, lookup } = event.results[outcome]
  const query = {
    orderId: view.regNo,
    amount: view.total === null ? null : String(toMajorUnits(view.total, view.currency)),
    currency: view.currency,
    date: new Date(at).toISOString(),
  }
  const sampleView =
    lookup === 'never'
      ? null
      : outcome === 'success'
        ? view
        : { ...view, paymentStatus: 'failed' as const, paidAt: null, paymentId: null }
  const values = getResultValues(event, sampleView, query)
  const fillAndEscape = (text: string): string =>
    escapeHtml(fillPlaceholders(text, values, event.texts.missingValue))
  const rows = buildResultRows(event, outcome, sampleView, query).map(
    ({ label, value }) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>`,
  )
  const renderList = (texts: readonly string[]): string =>
    texts.length === 0
      ? ''
      : `<ul>${texts.map((text) => `<li>${fillAndEscape(text)}</li>`).join('')}</ul>`
  return `<article><h3>${fillAndEscape(title)}</h3>${intro === undefined ? '' : `<p>${fillAndEscape(intro)}</p>`}\n<dl>\n${rows.join('\n')}\n</dl>${renderList(reasons)}${notesTitle === undefined ? '' : `<h4>${fillAndEscape(notesTitle)}</h4>`}${renderList(notes)}<p>${buttons.map(({ label }) => `<span class="button">${fillAndEscape(label)}</span>`).join(' ')}</p></article>`
}

function renderDocuments(event: EventConfig, view: RegistrationView): readonly string[] {
  const receipt = buildReceiptFile(event, view)
  const mail = buildConfirmationEmail(event, view)
  return [
    ...(receipt === null
      ? []
      : [
          `<h2>Receipt</h2>\n<article><h3>${escapeHtml(receipt.file)}</h3><pre>${escapeHtml(receipt.text)}</pre></article>`,
        ]),
    ...(mail === null
      ? []
      : [
          `<h2>Email</h2>\n<article><h3>${escapeHtml(mail.subject)}</h3><p>To ${escapeHtml(mail.to)}${mail.copyTo === null ? '' : `, copy to ${escapeHtml(mail.copyTo)}`}</p><pre>${escapeHtml(mail.text)}</pre></article>`,
        ]),
  ]
}

function renderPriceList(event: EventConfig): string {
  if (event.fees.prices === null) return '<p>This event is free of charge.</p>'
  const tables = buildPriceTables(event).map(({ label, periods, rows }) => {
    const caption = ['To pay', label ?? '', getPaidTaxText(event)].filter((text) => text !== '')
    const body = rows.map(
      ({ category, cells }) =>
        `<tr><th scope="row">${escapeHtml(category.label)}</th>${cells.map(({ price }) => `<td>${formatRowPrice(getCurrency(event, category.id), price?.total ?? null)}</td>`).join('')}</tr>`,
    )
    return `<table><caption>${escapeHtml(caption.join(', '))}</caption><thead><tr><td></td>${renderHead(periods)}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table>`
  })
  return `${tables.join('')}${renderItemPrices(event)}`
}

/**
 * Renders the column headings. An item's periods may have the same labels as the periods of registration but
 * different days, so the columns of items show their days as well.
 */
function renderHead(periods: readonly Period[], withDays = false): string {
  return periods
    .map((period) => {
      const days = withDays ? ` (${describeDays(period)})` : ''
      return `<th scope="col">${escapeHtml(`${period.label}${days}`)}</th>`
    })
    .join('')
}

/** Returns a day on which a column applies, to choose the tax of its prices. */
function chooseSampleDay(event: EventConfig, period: Period | undefined): Day {
  return period?.from ?? period?.to ?? event.from
}

/** Renders a table for each item with the amounts to pay, then adjustments and quotas. */
function renderItemPrices(event: EventConfig): string {
  if (!hasItemsOrTaxes(event)) return ''
  const { tables, taxRules, adjustments, limits: quotas } = buildPriceList(event)
  const items = tables
    .filter(({ id }) => id !== 'registration')
    .map(({ label, about, parts, periods }, index) => {
      const item = event.fees.items[index]
      const rows = parts.flatMap(({ when, rows: partRows }, part) => [
        ...(when === null
          ? []
          : [`<tr><th scope="row" colspan="${periods.length + 1}">${escapeHtml(when)}</th></tr>`]),
        ...partRows.map(
          (row) =>
            `<tr><th scope="row">${escapeHtml(row.label)}</th>${row.cells.map((price, column) => `<td>${price === null || item === undefined ? formatRowPrice(row.currency, price) : escapeHtml(formatItemPriceToPay(event, item, part, price, row.currency, chooseSampleDay(event, periods[column])))}</td>`).join('')}</tr>`,
        ),
      ])
      const categoryText = escapeHtml([label, ...about].join(', '))
      return rows.length === 0
        ? `<p>${categoryText}</p>`
        : `<table><caption>${categoryText}</caption><thead><tr><td></td>${renderHead(periods, true)}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`
    })
  const rules = [...taxRules, ...adjustments, ...quotas].map(
    ({ id, description }) => `<li>${escapeHtml(`${id}: ${description}`)}</li>`,
  )
  return `\n${items.join('\n')}\n<ul>${rules.join('\n')}</ul>`
}

function formatRowPrice(currency: Currency, price: Amount | null): string {
  return price === null ? 'not on sale' : formatPrice(price, currency)
}

function renderClosedNotice(event: EventConfig): string {
  return event.closed === null
    ? ''
    : `\n<h2>While registration is closed</h2>\n<article><h3>${escapeHtml(event.closed.heading)}</h3><p>${escapeHtml(event.closed.text)}</p></article>`
}

function renderPage(event: EventConfig, title: string, body: string): string {
  const { band, onBand, accent, tint, line } = computeThemeColors(event.look.colour)
  const demo =
    event.demo.length === 0
      ? ''
      : `<p class="demo">Demo values: ${escapeHtml(event.demo.join(', '))}</p>`
  return `<!doctype html>
<html lang="en-IN">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)} – ${escapeHtml(event.title)}</title>
<style>
body { margin: 0; font: 1rem/1.5 Georgia, serif; color: #1c1b19; background: #fff }
header { background: ${band}; color: ${onBand}; padding: 1.5rem max(1rem, calc(50vw - 22rem)) }
header p { margin: 0 } header a { color: inherit }
main { max-width: 44rem; margin: 0 auto; padding: 1rem }
h1 { margin: 0; font-size: 1.6rem } h2 { margin: 2rem 0 .5rem; color: ${accent} } h3 { margin: .5rem 0 }
dl { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr; gap: .3rem 1rem; margin: 0 }
dt { color: #555 } dd { margin: 0 } section, article { border: 1px solid ${line}; padding: .5rem 1rem 1rem; margin: .5rem 0 }
table { border-collapse: collapse; width: 100% } td, th { border: 1px solid ${line}; padding: .3rem .6rem; text-align: right } th[scope=row] { text-align: left; font-weight: normal }
@media (max-width: 40rem) { table { display: block; overflow-x: auto } }
caption { text-align: left; color: #555 } pre { white-space: pre-wrap; background: ${tint}; padding: 1rem; margin: 0 }
.empty { color: #666; font-style: italic } .hint { display: block; color: #555; font-size: .9rem } .error { display: block; color: #a4161a } .error::before { content: "! " }
.button { display: inline-block; border: 1px solid ${accent}; color: ${accent}; padding: .3rem .8rem; margin: .5rem 0 } .demo, .closed { background: #fff3cd; color: #4d3b00; padding: .5rem 1rem }
</style>
</head>
<body>
<header><p><a href="index.html">${escapeHtml(event.title)}</a> · ${escapeHtml(formatDays(event.from, event.to))} · ${escapeHtml(event.venue)}</p><h1>${escapeHtml(title)}</h1></header>
<main>
${demo}
${body}
</main>
</body>
</html>
`
}
