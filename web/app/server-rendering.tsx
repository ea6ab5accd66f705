/** The server rendering of the event form and the landing page. Built for Node only. */
import createCache from '@emotion/cache'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import { assert } from '../../engine/index.ts'
import type { PageData } from '../../engine/api.ts'
import FormPage, { STYLE_PREFIX } from '../registration/registration-page.tsx'
import ExtendedRegistrationPage from '../registration/registration-page-with-items-and-codes.tsx'
import { choosePageKind } from '../registration/event-page-kind.ts'
import type { EventPageKind } from '../registration/event-page-kind.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { ErrorPage } from './error-page.tsx'
import { Sprite } from '../ui/icons-and-logo.tsx'
import SitePage from '../landing/landing-page.tsx'
import { AppRoot } from './app-root.tsx'

/**
 * `styles` are the CSS rules that MUI generated. `names` are their class names, by which a browser
 * recognises rules that it already has.
 */
export type RenderedPage = {
  /** The module that will hydrate the page. `site` is not hydrated. */
  readonly kind: Exclude<EventPageKind, 'closed'> | 'site'
  readonly html: string
  /** CSS rules that replace style attributes. */
  readonly rules: string
  readonly styles: string
  readonly names: string
}

type PageOf<Kind extends PageData['page']> = Extract<PageData, { page: Kind }>

export const renderPage = (page: PageOf<'event'> | PageOf<'site'>): RenderedPage =>
  page.page === 'event' ? renderForm(page) : renderSite(page)

/** Renders the landing page, which is static: it needs no script, and only the icons that it uses. */
function renderSite(page: PageOf<'site'>): RenderedPage {
  const main = renderToStaticMarkup(<SitePage page={page} />)
  const usedIcons = new Set(
    [...main.matchAll(/href="#i-(\w+)"/g)].flatMap(([, name]) => name ?? []),
  )
  const sprite = renderToStaticMarkup(<Sprite only={usedIcons} />)
  return { kind: 'site', ...extractStyles(sprite + main), styles: '', names: '' }
}

/** Renders the page of an open event exactly as `main.tsx` does on hydration. */
function renderForm(page: PageOf<'event'>): RenderedPage {
  const kind = choosePageKind(page.event)
  assert(kind !== 'closed', 'only a form is rendered')
  const Page = kind === 'selling' ? ExtendedRegistrationPage : FormPage
  const styles = createCache({ key: STYLE_PREFIX })
  // Collects the CSS rules instead of writing each next to its element.
  styles.compat = true
  const html = renderToString(
    <AppRoot>
      <ErrorBoundary resetKey={page} fallback={<ErrorPage />}>
        <Page page={page} styles={styles} />
      </ErrorBoundary>
    </AppRoot>,
  )
  const insertedStyles = Object.entries(styles.inserted)
  return {
    kind,
    ...extractStyles(html),
    styles: insertedStyles.map(([, rules]) => (typeof rules === 'string' ? rules : '')).join(''),
    names: `${STYLE_PREFIX} ${insertedStyles.map(([name]) => name).join(' ')}`,
  }
}

/**
 * Converts style attributes to rules: the content security policy rejects the attributes in the
 * HTML, and React would not set them again. Quotes are escaped in texts and attributes, so nothing
 * else matches.
 */
function extractStyles(markup: string): Pick<RenderedPage, 'html' | 'rules'> {
  const styles: string[] = []
  const html = markup.replaceAll(/ style="([^"]*)"/g, (_, style: string) => {
    assert(!style.includes('&'), `a style contains characters that HTML escapes: ${style}`)
    if (!styles.includes(style)) styles.push(style)
    return ` data-style="${styles.indexOf(style)}"`
  })
  return { html, rules: styles.map((style, index) => `[data-style="${index}"]{${style}}`).join('') }
}
