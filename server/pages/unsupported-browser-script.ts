/** Inline script that shows the prices and the address in a browser that cannot run the app. */

/**
 * Shows the content of the page's <noscript> elements. Runs when every script has ended and the app has not started,
 * because the browser does not support its syntax or modules; the app calls it itself when it cannot render the page
 * (web/app/unsupported-browser-page.ts takes over `rollcallPlain`). A script that could not be loaded does not trigger
 * this: the form keeps the typed answers, and reloading the page may help. Uses only features that browsers have
 * supported since 2012.
 */
export const UNSUPPORTED_BROWSER_SCRIPT = `(function(w,d){var lost
w.rollcallPlain=function(){var all=d.querySelectorAll("noscript"),i,n,to,page,style
for(i=0;i<all.length;i++){n=all[i];page=new DOMParser().parseFromString(n.textContent,"text/html")
if(style=page.querySelector("style")){to=d.createElement("style");to.textContent=style.textContent;d.head.appendChild(to)}
else while(page.body.firstChild)n.parentNode.insertBefore(page.body.firstChild,n)
n.parentNode.removeChild(n)}}
w.addEventListener("error",function(e){if(e.target&&e.target.src)lost=true},true)
w.addEventListener("load",function(){if(!lost&&w.rollcallPlain)w.rollcallPlain()})})(window,document)`
