/** Builds the pages that are the same for every visitor: forms, the landing page, the page for organisers. */
import {
  dayOf,
  formatDays,
  formatIsoIndia,
  checkRegistrationOpen,
  UNKNOWN_PAYMENT,
} from '../../engine/index.ts'
import { buildTariff } from '../../engine/api.ts'
import { COMMON_MESSAGES, SERVER_PAGE_MESSAGES } from '../../engine/messages.ts'
import type { Instant } from '../../engine/index.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'
import { buildEventResponse } from '../events/answer-validators.ts'
import { buildPublicFile, buildSharedFiles } from '../events/event-file-routes.ts'
import { getShareImageUrl } from '../events/share-image.ts'
import {
  renderEventList,
  renderEventShell,
  renderEventText,
  renderMessage,
  renderScriptNotice,
} from './html-shell.ts'
import type { Page } from './html-shell.ts'
import { renderLandingPage, renderOrganisersPage } from './landing-page-html.ts'
import type { Prerenderer } from './render-forms.ts'

const { product: name } = COMMON_MESSAGES
const { about } = SERVER_PAGE_MESSAGES

/** `isFinal` is false if the prerendered part was not ready in time. */
export type PublicPage = { readonly page: Page; readonly isFinal: boolean }

/** Prerenders the whole form if possible, otherwise only its introduction. */
export async function buildFormPage(
  prerenderer: Prerenderer,
  served: ServedEvent,
  publicUrl: string,
  at: Instant,
): Promise<PublicPage> {
  const event = served.config
  // The number of seats left changes every minute, so the page's script requests it.
  const { left: _, ...todayTariff } = buildTariff(event, at)
  const eventData = { page: 'event', event: buildEventResponse(served, at) } as const
  const prerenderData = { ...eventData, tariff: todayTariff, drawn: true } as const
  const isOpen = checkRegistrationOpen(event, dayOf(at)).open
  const renderResult = isOpen ? await prerenderer.renderForm(served, prerenderData) : null
  const prerendered = renderResult === 'late' ? null : renderResult
  const scriptNotice = isOpen ? renderScriptNotice(event) : ''
  const summary = `${event.about ?? event.title}, ${formatDays(event.from, event.to)}, ${event.venue}`
  const page = {
    title: `${event.title}: registration`,
    description: summary,
    url: new URL(event.routes.form, publicUrl).href,
    image: new URL(getShareImageUrl(event), publicUrl).href,
    colour: event.look.colour,
    ...(prerendered === null
      ? {
          shell: renderEventShell(event, at, `<noscript>${scriptNotice}</noscript>`),
          data: { ...eventData, tariff: null, drawn: false },
        }
      : { shell: renderEventText(event, at, scriptNotice), prerendered, data: prerenderData }),
  }
  return { page, isFinal: renderResult !== 'late' }
}

/**
 * `isUnknownPayment` is true if the browser returned from the gateway with a payment that belongs to no registration.
 */
export async function buildLandingPage(
  prerenderer: Prerenderer,
  deps: Deps,
  url: string,
  at: Instant,
  isUnknownPayment: boolean,
): Promise<PublicPage> {
  const events = deps.events.cards(at)
  const site = deps.events.site()
  const title = site?.page.title ?? name
  const text = site?.page.about ?? about
  const message = isUnknownPayment ? (site?.messages.unknownPayment ?? UNKNOWN_PAYMENT) : null
  const data = { page: 'site' as const, site, events: [...events], message }
  // A message is announced to screen readers only if a script renders it.
  const renderResult =
    site === null || message !== null ? null : await prerenderer.renderLandingPage(data)
  const page = {
    title,
    description: text,
    url,
    image: null,
    colour: null,
    prerendered: renderResult === 'late' ? null : renderResult,
    shell:
      renderMessage(message) +
      (site === null ? renderEventList(title, text, events) : renderLandingPage(site, events)),
    data,
  }
  return { page, isFinal: renderResult !== 'late' }
}

export function buildOrganisersPage(deps: Deps, url: string, at: Instant): Page {
  const site = deps.events.site()
  const text = site?.page.about ?? about
  const sampleEvent =
    site === null
      ? null
      : (deps.events.findById(site.organisers.example) ?? deps.events.all()[0] ?? null)
  return {
    title: `${name} for organisers`,
    description: site?.organisers.text ?? text,
    url,
    image: null,
    colour: null,
    shell:
      site === null
        ? renderEventList('For organisers', text, [])
        : renderOrganisersPage(site, sampleEvent && buildPublicFile(sampleEvent).text),
    data: {
      page: 'organisers',
      site,
      events: [...deps.events.cards(at)],
      prefixes: deps.events.all().map(({ config }) => config.orderId.prefix),
      now: formatIsoIndia(at),
      shared: sampleEvent && buildSharedFiles(sampleEvent),
    },
  }
}
