/** What lies over something else on a page, is cut off at the side, or makes the window scroll sideways. */
import type { Page } from 'playwright-core'
import { ALL_RUNS } from '../runs.ts'

/** Where a page is drawn otherwise than a pixel further: phones, tablets, and what lies between. */
const WIDTHS = ALL_RUNS
  ? [320, 360, 400, 480, 600, 767, 768, 900, 1024, 1199, 1280, 1440, 1920]
  : [320, 600, 767, 768, 1024, 1280]

/** Looks at the page at every width; answers what is wrong in words, nothing where all stands in its place. */
export async function misplacedAtAnyWidth(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    for (const what of await settled(page)) found.push(`${width} px: ${what}`)
  }
  return found
}

/** A page that draws itself anew for another width does so some frames later. */
const FRAMES_MAX = 600

async function settled(page: Page): Promise<readonly string[]> {
  for (let frame = 0; ; frame += 1) {
    const found = await misplaced(page)
    if (found.length === 0 || frame === FRAMES_MAX) return found
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)))
  }
}

/** Every line of text and every control that is seen, held against every other. */
export const misplaced = (page: Page): Promise<readonly string[]> => page.evaluate(inPage)

/** Runs in the page, also in browsers that are driven by its text (`drivers/driver.ts`). */
export function inPage(): readonly string[] {
  type Box = { left: number; top: number; right: number; bottom: number }
  type Piece = Box & { node: Node; name: string }
  const found: string[] = []
  const { scrollWidth } = document.documentElement
  if (scrollWidth > innerWidth) found.push(`the page is ${scrollWidth} px wide`)

  /** Within what scrolls by itself only a part is seen. Null: what is hidden, or hangs over the page on purpose. */
  const windowOf = (element: Element): Box | null => {
    const seen = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity }
    // Two names for the same, of which an older browser knows one.
    const hidden = { opacityProperty: true, visibilityProperty: true }
    const before = { checkOpacity: true, checkVisibilityCSS: true }
    if (!element.checkVisibility({ ...hidden, ...before })) return null
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const { clipPath, position, overflowX, overflowY } = getComputedStyle(at)
      if (clipPath !== 'none' || position === 'fixed') return null
      if (at === document.body || at === document.documentElement) continue
      if (overflowX === 'visible' && overflowY === 'visible') continue
      const box = at.getBoundingClientRect()
      seen.left = Math.max(seen.left, box.left)
      seen.right = Math.min(seen.right, box.right)
      seen.top = Math.max(seen.top, box.top)
      seen.bottom = Math.min(seen.bottom, box.bottom)
    }
    return seen
  }
  const pieces: Piece[] = []
  const add = (node: Node, name: string, box: Box, seen: Box): void => {
    const piece = {
      node,
      name: name.trim().slice(0, 40),
      left: Math.max(box.left, seen.left),
      right: Math.min(box.right, seen.right),
      top: Math.max(box.top, seen.top),
      bottom: Math.min(box.bottom, seen.bottom),
    }
    if (piece.right - piece.left > 1 && piece.bottom - piece.top > 1) pieces.push(piece)
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const { parentElement } = text
    if (parentElement === null || (text.textContent ?? '').trim() === '') continue
    const seen = windowOf(parentElement)
    if (seen === null) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    for (const line of range.getClientRects()) {
      // A line's box is as high as its font says, more than its letters: lines set close would touch.
      const air = line.height * 0.2
      const { left, right, top, bottom } = line
      add(text, text.textContent ?? '', { left, right, top: top + air, bottom: bottom - air }, seen)
    }
    const { scrollWidth: needs, clientWidth: has } = parentElement
    const { overflowX, textOverflow } = getComputedStyle(parentElement)
    // What ends in an ellipsis is shortened on purpose.
    if (overflowX !== 'visible' && textOverflow !== 'ellipsis' && has > 0 && needs > has + 1)
      found.push(`"${(text.textContent ?? '').trim().slice(0, 40)}" is cut off`)
  }
  for (const control of document.querySelectorAll('button, input, select, textarea, a.btn')) {
    const seen = windowOf(control)
    if (seen !== null)
      add(control, `<${control.tagName.toLowerCase()}>`, control.getBoundingClientRect(), seen)
  }
  pieces.forEach((one, at) => {
    for (const other of pieces.slice(at + 1)) {
      const over =
        one.left < other.right - 1 &&
        other.left < one.right - 1 &&
        one.top < other.bottom - 1 &&
        other.top < one.bottom - 1
      if (over && !one.node.contains(other.node) && !other.node.contains(one.node))
        found.push(`"${one.name}" and "${other.name}" lie over each other`)
    }
  })
  return found
}
