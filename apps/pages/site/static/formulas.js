// Sets the formulas of a page. Without KaTeX their TeX stays as it is.
document.addEventListener('DOMContentLoaded', () => {
  for (const place of document.querySelectorAll('.tex'))
    katex.render(place.textContent, place, {displayMode: place.classList.contains('display'), throwOnError: false});
});
