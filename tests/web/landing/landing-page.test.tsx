/** The picture on the landing page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router-dom'
import { expect, test } from 'vitest'
import { compileSite } from '../../../engine/authoring/compile/site.ts'
import SitePage from '../../../web/landing/landing-page.tsx'

const sitePath = join(import.meta.dirname, '..', '..', '..', 'events/_shared/site.yaml')
const SITE = readFileSync(sitePath, 'utf8')

function renderSite(source: string): string {
  const { site, findings } = compileSite(source)
  expect(findings).toEqual([])
  const page = renderToStaticMarkup(
    <MemoryRouter>
      <SitePage page={{ page: 'site', site, events: [], message: null }} />
    </MemoryRouter>,
  )
  return page.replaceAll('\u00a0', ' ')
}

test('the picture shows yen if the site’s currency is yen', () => {
  expect(renderSite(SITE)).toContain('₹ 6,195')
  const siteInYen = SITE.replace(/^( +)day: .*$/m, '$&\n$1currency: JPY')
  expect(renderSite(siteInYen)).toContain('JP¥ 6,195')
  expect(renderSite(siteInYen)).not.toContain('₹ 6,195')
})
