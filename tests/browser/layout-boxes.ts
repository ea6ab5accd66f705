/** Finds elements that overlap, are cut off, or make the page scroll horizontally. */
import type { Page } from 'playwright-core'
import { ALL_RUNS } from '../runs.ts'

/** Widths around which layouts change: phones, tablets and sizes in between. */
const WIDTHS = ALL_RUNS
  ? [320, 360, 400, 480, 600, 767, 768, 900, 1024, 1199, 1280, 1440, 1920]
  : [320, 600, 767, 768, 1024, 1280]

/** Checks the page at every width. Returns the problems as text, or an empty list. */
export async function findLayoutProblemsAtAnyWidth(page: Page): Promise<readonly string[]> {
  const problems: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    for (const problem of await findLayoutProblemsWhenSettled(page))
      problems.push(`${width} px: ${problem}`)
  }
  return problems
}

/** The page is rendered at the new width a few frames after a resize. */
const MAX_FRAMES = 600

async function findLayoutProblemsWhenSettled(page: Page): Promise<readonly string[]> {
  for (let frame = 0; ; frame += 1) {
    const problems = await findLayoutProblems(page)
    if (problems.length === 0 || frame === MAX_FRAMES) return problems
    await page.evaluate(() => new Promise((nextFrame) => requestAnimationFrame(nextFrame)))
  }
}

/**
 * Returns a description of each overlap between visible lines of text and controls, and of each text that is cut off.
 */
export const findLayoutProblems = (page: Page): Promise<readonly string[]> =>
  page.evaluate(findLayoutProblemsInPage)

/** Runs in the page. Browsers without Playwright receive its source text (`drivers/driver.ts`). */
export function findLayoutProblemsInPage(): readonly string[] {
  type Box = { left: number; top: number; right: number; bottom: number }
  type NamedBox = Box & { node: Node; name: string }
  const problems: string[] = []
  const { scrollWidth } = document.documentElement
  if (scrollWidth > innerWidth) problems.push(`the page is ${scrollWidth} px wide`)

  /**
   * Returns the area to which scroll containers limit an element. Null if it is hidden, or deliberately overlaps the
   * page.
   */
  const findVisibleBox = (element: Element): Box | null => {
    const visibleBox = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity }
    // The same options under two names, because older browsers know only one of them.
    const visibilityOptions = { opacityProperty: true, visibilityProperty: true }
    const olderOptions = { checkOpacity: true, checkVisibilityCSS: true }
    if (!element.checkVisibility({ ...visibilityOptions, ...olderOptions })) return null
    for (
      let ancestor: Element | null = element;
      ancestor !== null;
      ancestor = ancestor.parentElement
    ) {
      const { clipPath, position, overflowX, overflowY } = getComputedStyle(ancestor)
      if (clipPath !== 'none' || position === 'fixed') return null
      if (ancestor === document.body || ancestor === document.documentElement) continue
      if (overflowX === 'visible' && overflowY === 'visible') continue
      const box = ancestor.getBoundingClientRect()
      visibleBox.left = Math.max(visibleBox.left, box.left)
      visibleBox.right = Math.min(visibleBox.right, box.right)
      visibleBox.top = Math.max(visibleBox.top, box.top)
      visibleBox.bottom = Math.min(visibleBox.bottom, box.bottom)
    }
    return visibleBox
  }
  const boxes: NamedBox[] = []
  const addBox = (node: Node, name: string, box: Box, visibleBox: Box): void => {
    const namedBox = {
      node,
      name: name.trim().slice(0, 40),
      left: Math.max(box.left, visibleBox.left),
      right: Math.min(box.right, visibleBox.right),
      top: Math.max(box.top, visibleBox.top),
      bottom: Math.min(box.bottom, visibleBox.bottom),
    }
    if (namedBox.right - namedBox.left > 1 && namedBox.bottom - namedBox.top > 1)
      boxes.push(namedBox)
  }
  const textWalker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = textWalker.nextNode(); text !== null; text = textWalker.nextNode()) {
    const { parentElement } = text
    if (parentElement === null || (text.textContent ?? '').trim() === '') continue
    const visibleBox = findVisibleBox(parentElement)
    if (visibleBox === null) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    for (const line of range.getClientRects()) {
      // The line box is taller than the letters, so tightly set lines would appear to overlap.
      const tolerance = line.height * 0.2
      const { left, right, top, bottom } = line
      addBox(
        text,
        text.textContent ?? '',
        { left, right, top: top + tolerance, bottom: bottom - tolerance },
        visibleBox,
      )
    }
    const { scrollWidth: contentWidth, clientWidth: visibleWidth } = parentElement
    const { overflowX, textOverflow } = getComputedStyle(parentElement)
    // An ellipsis shortens text on purpose.
    if (
      overflowX !== 'visible' &&
      textOverflow !== 'ellipsis' &&
      visibleWidth > 0 &&
      contentWidth > visibleWidth + 1
    )
      problems.push(`"${(text.textContent ?? '').trim().slice(0, 40)}" is cut off`)
  }
  for (const control of document.querySelectorAll('button, input, select, textarea, a.btn')) {
    const visibleBox = findVisibleBox(control)
    if (visibleBox !== null)
      addBox(
        control,
        `<${control.tagName.toLowerCase()}>`,
        control.getBoundingClientRect(),
        visibleBox,
      )
  }
  boxes.forEach((box, index) => {
    for (const otherBox of boxes.slice(index + 1)) {
      const isOverlapping =
        box.left < otherBox.right - 1 &&
        otherBox.left < box.right - 1 &&
        box.top < otherBox.bottom - 1 &&
        otherBox.top < box.bottom - 1
      if (isOverlapping && !box.node.contains(otherBox.node) && !otherBox.node.contains(box.node))
        problems.push(`"${box.name}" and "${otherBox.name}" overlap`)
    }
  })
  return problems
}
