/** The form of an event as the server writes it into a page. Built for Node beside the web app, and never sent to a browser. */
import createCache from '@emotion/cache'
import { renderToString } from 'react-dom/server'
import { assert } from '../engine/index.ts'
import type { PageData } from '../engine/index.ts'
import FormPage, { STYLES_KEY } from './event/index.tsx'
import SellingPage from './event/selling.tsx'
import { kindOf } from './event/which.ts'
import type { EventPageKind } from './event/which.ts'
import { Boundary } from './shared/boundary.tsx'
import { Broken } from './shared/broken.tsx'
import { Whole } from './whole.tsx'

/** `styles`: the rules that MUI made, and as `names` the mark by which a browser knows that it has them. */
export type Drawn = {
  /** Which module will take it over. */
  readonly kind: Exclude<EventPageKind, 'closed'>
  readonly html: string
  /** Rules in place of style attributes. */
  readonly rules: string
  readonly styles: string
  readonly names: string
}

/** Draws the page of an event that is open, just as `main.tsx` will when it takes it over. */
export function draw(page: Extract<PageData, { page: 'event' }>): Drawn {
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
