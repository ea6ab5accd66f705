/**
 * Builds the HTML of the landing page if it was not prerendered. The page's script then renders the rest.
 * Uses the same markup as `web/landing/`, so that nothing moves when the script takes over.
 */
import { getClosedText, escapeHtml, formatDays, LOGO_PATHS } from '../../engine/index.ts'
import { LANDING_MESSAGES } from '../../engine/messages.ts'
import type { Site } from '../../engine/index.ts'
import type { EventCard } from '../../engine/api.ts'

const LOGO = `<svg viewBox="0 0 26 26" aria-hidden="true"><path d="${LOGO_PATHS.square}" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/><path d="${LOGO_PATHS.tick}" fill="none" stroke="var(--blue)" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`

const renderLink = (go: string, label: string, className = ''): string =>
  `<a${className === '' ? '' : ` class="${className}"`} href="${escapeHtml(go)}">${escapeHtml(label)}</a>`

/** Renders the bar at the top. On other pages, its anchors lead to the landing page. */
function renderSiteHeader(site: Site, currentPage: '/' | '/organisers'): string {
  const { links, signIn, createEvent } = site.header
  const nav = links
    .map(({ label, go }) =>
      renderLink(currentPage !== '/' && go.startsWith('#') ? `/${go}` : go, label),
    )
    .join('')
  return `<header class="hd"><div class="wrap"><a class="mark" href="/">${LOGO}${escapeHtml(site.page.name)}</a><nav aria-label="${LANDING_MESSAGES.navigation}">${nav}</nav><div class="r">${renderLink(signIn.go, signIn.label, 'btn quiet sm')}${renderLink(createEvent.go, createEvent.label, 'btn sm')}</div></div></header>`
}

/** Renders the header, the hero and the conferences; the script renders the rest. */
export function renderLandingPage(site: Site, events: readonly EventCard[]): string {
  const { hero } = site
  return [
    `<div class="site">${renderSiteHeader(site, '/')}<main id="main"><div class="hero"><div class="wrap"><div>`,
    `<h1 class="disp">${escapeHtml(hero.title)}</h1><p class="lead">${escapeHtml(hero.text)}</p>`,
    `<p class="go">${renderLink(hero.button.go, hero.button.label, 'btn')}${renderLink(hero.link.go, hero.link.label, 'btn quiet')}</p></div>`,
    renderIllustration(hero.picture),
    '</div></div><div class="wrap first"><section class="sect" id="conferences">',
    `<h2 class="disp">${escapeHtml(site.conferences.title)}</h2>`,
    events.length === 0
      ? `<p class="no-conferences">${escapeHtml(site.conferences.none)}</p>`
      : `<ul class="conferences">${events.map((event) => renderConference(site, event)).join('')}</ul>`,
    '</section></div></main></div>',
  ].join('')
}

/** Renders the header, heading, subheading and, for browsers without JavaScript, the steps and the sample file. */
export function renderOrganisersPage(site: Site, sample: string | null): string {
  const steps = site.organisers.steps.map((step) => `<li>${escapeHtml(step)}</li>`).join('')
  const file =
    sample === null
      ? ''
      : `<h2 class="disp">${escapeHtml(site.organisers.file)}</h2><pre>${escapeHtml(sample)}</pre>`
  return `<div class="site">${renderSiteHeader(site, '/organisers')}<main id="main"><div class="wrap org-top"><h1 class="disp">${escapeHtml(site.organisers.title)}</h1><p class="lead">${escapeHtml(site.organisers.text)}</p><noscript><div class="org-plain"><p>${LANDING_MESSAGES.needsScript}</p><ol>${steps}</ol>${file}</div></noscript></div></main></div>`
}

/** Renders the illustration at its final height; the script adds its lines. */
function renderIllustration(picture: Site['hero']['picture']): string {
  if (picture === null) return ''
  const row = '<li><span class="n"></span></li>'
  return `<div class="book" aria-hidden="true"><p class="t">${escapeHtml(picture.title)} <span>${escapeHtml(picture.day)}</span></p><ol>${row.repeat(picture.rows.length + 1)}</ol></div>`
}

function renderConference(site: Site, event: EventCard): string {
  const theme = event.theme === undefined ? '' : `<p class="motto">${escapeHtml(event.theme)}</p>`
  const dateText = `${formatDays(event.from, event.to)}${event.hours === undefined ? '' : `, ${event.hours}`}`
  const pastText = event.took_place
    ? `<span class="past">${escapeHtml(site.conferences.past)}</span>`
    : ''
  const action = event.open
    ? renderLink(
        event.routes.form,
        site.conferences.register,
        event.took_place ? 'btn line sm' : 'btn sm',
      )
    : `<span class="badge back">${escapeHtml(getClosedText(site.conferences, event.closed))}</span>`
  return `<li><div><h3 class="disp">${renderLink(event.routes.form, event.title)}</h3>${theme}</div><p>${escapeHtml(dateText)}<br>${escapeHtml(event.venue)}${pastText}</p><span class="a">${action}</span></li>`
}
