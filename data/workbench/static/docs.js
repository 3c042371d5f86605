const dark = matchMedia("(prefers-color-scheme:dark)");
const look = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", look);
look();
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#api", validatorUrl: null, tryItOutEnabled: true });
// Swagger UI gives what is to be typed no name.
new MutationObserver(() => {
  for (const field of document.querySelectorAll("textarea:not([aria-label])")) field.setAttribute("aria-label", "Request body");
}).observe(document.getElementById("api"), { childList: true, subtree: true });
