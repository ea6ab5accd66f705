/**
 * Builds the HTML of a page before its script runs: head, heading and introduction.
 * The page is readable without JavaScript.
 */
import {
  addDays,
  getCurrency,
  dayOf,
  escapeHtml,
  formatDay,
  formatDays,
  formatPrice,
  getListedPart,
  getListedTaxText,
  computeThemeColors,
  checkRegistrationOpen,
  placeTaxTexts,
  buildPriceTables,
  formatTaxSentence,
  isEventOver,
} from '../../engine/index.ts'
import {
  COMMON_MESSAGES,
  EVENT_PAGE_MESSAGES,
  formatMessage,
  SERVER_PAGE_MESSAGES,
} from '../../engine/messages.ts'
import type { Day, EventConfig, Instant } from '../../engine/index.ts'
import type { EventCard, PageData } from '../../engine/api.ts'
import type { InlineParts } from '../http/security-headers.ts'
import { SHARE_IMAGE_SIZE } from '../events/share-image.ts'
import { UNSUPPORTED_BROWSER_SCRIPT } from './unsupported-browser-script.ts'

/**
 * Has the same placeholders as `web/dist/index.html`, so that pages show their text even if the web app is not built.
 */
export const FALLBACK_TEMPLATE = `<!doctype html>
<html lang="en-IN">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<!--rollcall:head-->
</head>
<body>
<div id="root"><!--rollcall:shell--></div>
<!--rollcall:data-->
</body>
</html>
`

export type Page = {
  readonly title: string
  readonly description: string
  /** The URL without the query string, for the canonical link; null to exclude search engines and previews. */
  readonly url: string | null
  /** The full URL of the share image; null if there is none. */
  readonly image: string | null
  /** The event's colour, for the first paint. */
  readonly colour: string | null
  /**
   * HTML, already escaped. If the whole page is prerendered, browsers without JavaScript show this instead of its main
   * part.
   */
  readonly shell: string
  readonly prerendered?: PrerenderedPage | null
  readonly data: PageData
}

/** A page as its script would render it, and the head elements that it requires, both as HTML. */
export type PrerenderedPage = {
  readonly html: string
  readonly head: string
  /** The content of the style elements in `head`. The content security policy allows these styles. */
  readonly styles: readonly string[]
  /** True if the page needs no script. */
  readonly isComplete: boolean
}

/** A filled template, with the inline parts that its security policy allows. */
export type FilledPage = { readonly html: string; readonly inline: InlineParts }

/** Fills the template with a page's head, shell and data. */
export function fillTemplate(template: string, page: Page): FilledPage {
  const { shell, prerendered = null } = page
  const data = `<script type="application/json" id="page">${encodeJson(page.data)}</script>`
  const fallbackScript = `<script>${UNSUPPORTED_BROWSER_SCRIPT}</script>`
  const isComplete = prerendered?.isComplete === true
  const shouldHideForm = prerendered !== null && !isComplete
  const parts: Readonly<Record<string, string>> = {
    '<!--rollcall:head-->':
      renderHead(page) +
      (prerendered?.head ?? '') +
      (isComplete
        ? ''
        : `<noscript><style>${renderStylesWithoutScript(shouldHideForm)}</style></noscript>`),
    '<!--rollcall:shell-->': prerendered === null ? shell : prerendered.html,
    '<!--rollcall:data-->': isComplete
      ? data
      : shouldHideForm
        ? `<noscript><main class="wrap no-script">${shell}</main></noscript>${data}${fallbackScript}`
        : data + fallbackScript,
  }
  return {
    // Replaces all placeholders in a single pass, so that none is recognised in inserted text.
    html: template.replaceAll(
      /<!--rollcall:(?:head|shell|data)-->/g,
      (placeholder) => parts[placeholder] ?? '',
    ),
    inline: {
      scripts: isComplete ? [] : [UNSUPPORTED_BROWSER_SCRIPT],
      styles: [
        ...(page.colour === null ? [] : [buildThemeStyle(page.colour)]),
        ...(prerendered?.styles ?? []),
        ...(isComplete ? [] : [renderStylesWithoutScript(shouldHideForm), EMPTY_STYLE]),
      ],
    },
  }
}

/** The web app's scripts create empty style elements and then add rules to them. */
const EMPTY_STYLE = ''

/**
 * Styles for a browser that cannot run the script. Such a browser shows no icons either, so the space that the first
 * paint reserves for them is removed, unless the whole page is prerendered.
 */
const STYLES_WITHOUT_SCRIPT = [
  '.until-script,.mark:not(:has(svg))::before,.chip span:not(:has(svg))::before{display:none}',
  'noscript>p{margin-bottom:16px}',
  '.org-plain :is(p,ol){margin:16px 0}',
  '.org-plain ol{padding-left:1.4em;list-style:decimal}',
  // Lines in an event file may be wider than the page.
  '.org-plain pre{font-size:15px;white-space:pre-wrap;overflow-wrap:anywhere}',
  // A price table wider than a phone scrolls separately.
  '.fees-plain{display:block;overflow-x:auto;border-collapse:collapse;margin:8px 0 24px}',
  '.fees-plain :is(th,td){padding:8px 16px 8px 0;font-weight:400;text-align:right;white-space:nowrap;border-bottom:1px solid var(--hair)}',
  '.fees-plain th[scope=col]{min-width:6em;white-space:normal;vertical-align:bottom}',
  '.fees-plain th[scope=row]{min-width:9em;text-align:left;white-space:normal}',
  // On a phone, the prices are below the category, so that all fit.
  '@media(max-width:599px){.fees-plain :is(thead,tbody){display:block}',
  '.fees-plain tr{display:flex;flex-wrap:wrap;gap:0 10px;padding:8px 0;border-bottom:1px solid var(--hair)}',
  '.fees-plain :is(th,td){padding:0;border:0;text-align:left}.fees-plain td:empty{display:none}',
  '.fees-plain :is(th[scope=col],td){flex:1 0 0;min-width:4.6em;font-size:15px}.fees-plain th[scope=row]{flex:0 0 100%}}',
].join('')

/** Hides the parts of the page that work only with the script. */
const STYLES_WITHOUT_FORM = [
  '#root main,#root footer{display:none}',
  // Shows the message that the page could not be displayed (web/app/error-page.tsx).
  '#root .plain main{display:block}',
  '#root:has(>.foot){min-height:0}',
  '.no-script{padding-top:12px}',
  '.no-script h2{margin-top:16px}',
].join('')

const renderStylesWithoutScript = (shouldHideForm: boolean): string =>
  STYLES_WITHOUT_SCRIPT + (shouldHideForm ? STYLES_WITHOUT_FORM : '')

function renderHead(page: Page): string {
  const title = escapeHtml(page.title)
  const description = escapeHtml(page.description)
  const themeStyle = page.colour === null ? '' : renderThemeStyle(page.colour)
  const basicTags = `<title>${title}</title>\n<meta name="description" content="${description}">`
  const searchTags =
    page.url === null
      ? '<meta name="robots" content="noindex">'
      : [
          `<link rel="canonical" href="${escapeHtml(page.url)}">`,
          '<meta property="og:type" content="website">',
          '<meta property="og:site_name" content="Rollcall">',
          `<meta property="og:title" content="${title}">`,
          `<meta property="og:description" content="${description}">`,
          `<meta property="og:url" content="${escapeHtml(page.url)}">`,
          ...renderImageTags(page),
        ].join('\n')
  return `${basicTags}\n${searchTags}${themeStyle}`
}

function renderImageTags({ image: picture, title }: Page): readonly string[] {
  return picture === null
    ? []
    : [
        `<meta property="og:image" content="${escapeHtml(picture)}">`,
        '<meta property="og:image:type" content="image/png">',
        `<meta property="og:image:width" content="${SHARE_IMAGE_SIZE.width}">`,
        `<meta property="og:image:height" content="${SHARE_IMAGE_SIZE.height}">`,
        `<meta property="og:image:alt" content="${escapeHtml(title)}">`,
        '<meta name="twitter:card" content="summary_large_image">',
      ]
}

const renderThemeStyle = (colour: string): string =>
  `\n<meta name="theme-color" content="${escapeHtml(computeThemeColors(colour).band)}">\n<style>${buildThemeStyle(colour)}</style>`

function buildThemeStyle(colour: string): string {
  const { band, onBand, accent, tint, line } = computeThemeColors(colour)
  return `:root{--band:${band};--on-band:${onBand};--accent:${accent};--accent-tint:${tint};--accent-line:${line}}`
}

const text = SERVER_PAGE_MESSAGES

/** Uses the same markup as the web app's event header, so that nothing moves when the app takes over. */
export function renderEventShell(event: EventConfig, at: Instant, main: string): string {
  const chip = [formatDays(event.from, event.to), event.hours, event.venue].filter(
    (text) => text !== undefined && text !== '',
  )
  return [
    `<header class="ev"><div class="wrap"><div class="ev-top"><a class="mark" href="/">${COMMON_MESSAGES.product}</a></div><div class="ev-row"><div class="ev-name"><div>`,
    `<h1 class="disp">${escapeHtml(event.title)}</h1>`,
    event.theme === undefined ? '' : `<p class="motto disp">${escapeHtml(event.theme)}</p>`,
    `</div></div><p class="chip">${chip.map((part) => `<span>${escapeHtml(part ?? '')}</span>`).join('')}</p></div></div></header>`,
    `<main class="wrap" id="main">${renderEventText(event, at, main)}</main>`,
  ].join('')
}

/** Returns an event's text, including `main`. */
export function renderEventText(event: EventConfig, at: Instant, main: string): string {
  const openState = checkRegistrationOpen(event, dayOf(at))
  return [
    isEventOver(event, dayOf(at))
      ? `<p class="over">${escapeHtml(formatMessage(EVENT_PAGE_MESSAGES.tookPlace, { days: formatDays(event.from, event.to) }))}</p>`
      : '',
    event.about === undefined ? '' : `<p class="lead">${escapeHtml(event.about)}</p>`,
    openState.open
      ? ''
      : `<h2 class="disp">${escapeHtml(openState.heading)}</h2><p>${escapeHtml(openState.text)}</p>`,
    main,
    `<p>${formatMessage(COMMON_MESSAGES.questions, { support: `<a href="mailto:${escapeHtml(event.support)}">${escapeHtml(event.support)}</a>` })}</p>`,
  ].join('')
}

/** Returns the text for an open event if the form cannot be used. */
export function renderScriptNotice(event: EventConfig): string {
  return `<p>${text.formNeedsScript}</p>${renderFees(event)}`
}

function formatPeriod(from: Day | undefined, to: Day | undefined): string {
  if (from !== undefined && to !== undefined) return formatDays(from, to)
  if (from !== undefined) return formatMessage(text.days.from, { day: formatDay(from) })
  return to === undefined ? text.days.any : formatMessage(text.days.until, { day: formatDay(to) })
}

type Period = EventConfig['fees']['periods'][number]

/**
 * Returns the first day of a period's price: on a day that belongs to two periods, the earlier period's price
 * applies.
 */
function getFirstDay({ from }: Period, previousPeriod: Period | undefined): Day | undefined {
  if (from === undefined || previousPeriod?.to === undefined) return from
  const isShared =
    from <= previousPeriod.to && (previousPeriod.from === undefined || previousPeriod.from <= from)
  return isShared ? addDays(previousPeriod.to, 1) : from
}

/** Renders the price of every category in every period. */
function renderFees(event: EventConfig): string {
  const tables = buildPriceTables(event)
  if (tables.length === 0) return ''
  const taxes = placeTaxTexts(
    tables.flatMap(({ rows }) =>
      rows.map(({ category, cells }) =>
        cells.map(({ price, on }) =>
          price === null ? null : getListedTaxText(event, { category: category.id, on }),
        ),
      ),
    ),
  )
  const renderSmall = (note: string): string =>
    note === '' ? '' : `<br><small>${escapeHtml(note)}</small>`
  const taxHint =
    taxes.above === '' ? '' : `<p class="hint">${escapeHtml(formatTaxSentence(taxes.above))}</p>`
  const taxOfRow = taxes.rows.values()
  const renderedTables = tables.map(({ label, periods, rows }) => {
    const head = periods.map(
      (period, index) =>
        `<th scope="col">${escapeHtml(formatPeriod(getFirstDay(period, periods[index - 1]), period.to))}</th>`,
    )
    const caption = label === null ? '' : `<caption>${escapeHtml(label)}</caption>`
    const body = rows.map(({ category: { id, label: name }, cells }) => {
      const tax = taxOfRow.next().value
      const prices = cells.map(({ price, on }, index) => {
        const priceText =
          price === null
            ? text.noPrice
            : formatPrice(getListedPart(event, { category: id, on }, price), getCurrency(event, id))
        return `<td>${escapeHtml(priceText)}${renderSmall(tax?.cells[index] ?? '')}</td>`
      })
      return `<tr><th scope="row">${escapeHtml(name)}${renderSmall(tax?.text ?? '')}</th>${prices.join('')}</tr>`
    })
    return `<table class="fees-plain">${caption}<thead><tr><td></td>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table>`
  })
  return `<h2>${text.fees}</h2>${taxHint}${renderedTables.join('')}`
}

export function renderEventList(
  title: string,
  description: string,
  events: readonly EventCard[],
): string {
  const items = events.map(
    ({ title: name, from, to, venue, routes, open: isOpen, closed }) =>
      `<li><a href="${escapeHtml(routes.form)}">${escapeHtml(name)}</a>, ${escapeHtml(formatDays(from, to))}, ${escapeHtml(venue)}${isOpen ? '' : ` (${closed?.by === 'early' ? formatMessage(text.opens, { day: formatDay(closed.opens) }) : text.closed})`}</li>`,
  )
  return `<main class="wrap" id="main"><h1 class="disp">${escapeHtml(title)}</h1><p class="lead">${escapeHtml(description)}</p>${items.length === 0 ? '' : `<ul>${items.join('')}</ul>`}</main>`
}

/** Renders the message at the top of a page. Empty if there is none. */
export function renderMessage(text: string | null): string {
  return text === null
    ? ''
    : `<div class="redirect-notice" role="alert"><p class="wrap">${escapeHtml(text)}</p></div>`
}

export function renderPlainPage(title: string, text: string): string {
  return `<div class="wrap plain"><header><a class="mark" href="/">${COMMON_MESSAGES.product}</a></header><main id="main"><h1 class="disp">${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p><a class="btn" href="/">${COMMON_MESSAGES.home}</a></main></div>`
}

/** Encodes JSON so that it cannot end its script element. */
function encodeJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}
