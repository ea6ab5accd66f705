/** The way past a header for people who go by the keyboard: the first thing Tab meets, seen while it has the focus. */
export function SkipLink() {
  return (
    <a className="skip" href="#main">
      Skip to the content
    </a>
  )
}
