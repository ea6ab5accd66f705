/** Pages as the server writes them: the form of an event, and the landing page. Built for Node beside the web app, and never sent to a browser. */
import createCache from '@emotion/cache'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import { assert } from '../../engine/index.ts'
import type { PageData } from '../../engine/index.ts'
import FormPage, { STYLES_KEY } from '../registration/registration-page.tsx'
import SellingPage from '../registration/extended-registration-page.tsx'
import { kindOf } from '../registration/event-page-kind.ts'
import type { EventPageKind } from '../registration/event-page-kind.ts'
import { Boundary } from './error-boundary.tsx'
import { Broken } from './error-page.tsx'
import { Sprite } from '../ui/icons-and-logo.tsx'
import SitePage from '../landing/landing-page.tsx'
import { Whole } from './app-root.tsx'

/** `styles`: the rules that MUI made, and as `names` the mark by which a browser knows that it has them. */
export type Drawn = {
  /** Which module will take it over; `site`: none does. */
  readonly kind: Exclude<EventPageKind, 'closed'> | 'site'
  readonly html: string
  /** Rules in place of style attributes. */
  readonly rules: string
  readonly styles: string
  readonly names: string
}

type PageOf<Kind extends PageData['page']> = Extract<PageData, { page: Kind }>

export const draw = (page: PageOf<'event'> | PageOf<'site'>): Drawn =>
  page.page === 'event' ? drawForm(page) : drawSite(page)

/** The landing page: nothing on it moves, so that it needs no script, and of the icons only its own. */
function drawSite(page: PageOf<'site'>): Drawn {
  const main = renderToStaticMarkup(<SitePage page={page} />)
  const only = new Set([...main.matchAll(/href="#i-(\w+)"/g)].flatMap(([, name]) => name ?? []))
  const sprite = renderToStaticMarkup(<Sprite only={only} />)
  return { kind: 'site', ...withoutAttributes(sprite + main), styles: '', names: '' }
}

/** The page of an event that is open, just as `main.tsx` will draw it when it takes it over. */
function drawForm(page: PageOf<'event'>): Drawn {
  const kind = kindOf(page.event)
  assert(kind !== 'closed', 'only a form is drawn')
  const Page = kind === 'selling' ? SellingPage : FormPage
  const styles = createCache({ key: STYLES_KEY })
  // Collects the rules instead of writing each beside its element.
  styles.compat = true
  const html = renderToString(
    <Whole>
      <Boundary resetBy={page} otherwise={<Broken />}>
        <Page page={page} styles={styles} />
      </Boundary>
    </Whole>,
  )
  const made = Object.entries(styles.inserted)
  return {
    kind,
    ...withoutAttributes(html),
    styles: made.map(([, rules]) => (typeof rules === 'string' ? rules : '')).join(''),
    names: `${STYLES_KEY} ${made.map(([name]) => name).join(' ')}`,
  }
}

/**
 * The content policy lets no style attribute in that stands in a page, and React would not repeat it: each
 * becomes a rule. In texts and attributes quotes are escaped, so that nothing else looks like one.
 */
function withoutAttributes(drawn: string): Pick<Drawn, 'html' | 'rules'> {
  const styles: string[] = []
  const html = drawn.replaceAll(/ style="([^"]*)"/g, (_, style: string) => {
    assert(!style.includes('&'), `a style holds what HTML escapes: ${style}`)
    if (!styles.includes(style)) styles.push(style)
    return ` data-style="${styles.indexOf(style)}"`
  })
  return { html, rules: styles.map((style, at) => `[data-style="${at}"]{${style}}`).join('') }
}
